//! Where the table is: the embedded engine, an endpoint, or AWS.

use std::time::Duration;

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{Credentials, SharedCredentialsProvider};

use super::args::Connection;
use super::failure::Failure;
use super::place::Place;
use super::{output, view};
use crate::acceptance::UpdateRule;
use crate::client::{DynamoDb, ExistingTable};
use crate::layout::Layout;
use crate::model::TableSettings;

/// How long an index may lag on AWS. Loopback engines have no lag.
const SETTLE: Duration = Duration::from_secs(2);
/// The variables by which the AWS SDK takes an endpoint, the more specific first.
const ENDPOINT_VARIABLES: [&str; 2] = ["AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL"];

/// A way to one table.
pub(super) struct Session {
    pub(super) store: DynamoDb,
    /// What a plan calls the place: two sessions with one name reach the same tables.
    pub(super) endpoint: String,
    /// How long to wait before an index is believed.
    pub(super) settle: Duration,
    /// Whether the engine is in this process, so that a mistake costs nobody anything.
    pub(super) is_embedded: bool,
    /// The region whose prices hold; `None` where nobody is billed.
    pub(super) region: Option<String>,
    /// The folder that keeps the embedded engine.
    pub(super) folder: Option<std::path::PathBuf>,
    config: SdkConfig,
    /// Where the definition lets its table be written to.
    settings: TableSettings,
}

impl Session {
    /// What the region counts towards the size of an update.
    pub(super) fn update_rule(&self) -> UpdateRule {
        self.region.as_deref().map_or(UpdateRule::FinishedItem, UpdateRule::of_region)
    }

    /// Opens the way; with another table's name, the layout takes it.
    pub(super) async fn open(connection: &Connection, layout: &Layout) -> Result<Session, Failure> {
        #[cfg(feature = "local")]
        if let Some(folder) = &connection.local {
            let session = embedded::open(folder, layout).await?;
            return Ok(Session { region: connection.region.clone(), ..session });
        }
        let endpoint = connection.endpoint_url.clone().or_else(endpoint_of_environment);
        if let Some(url) = &endpoint {
            check_url(url)?;
        }
        let is_loopback = endpoint.as_deref().is_some_and(is_loopback);
        let mut loader = aws_config::defaults(BehaviorVersion::latest()).http_client(http_client());
        if let Some(url) = &endpoint {
            loader = loader.endpoint_url(url);
        }
        if let Some(region) = &connection.region {
            loader = loader.region(Region::new(region.clone()));
        }
        if let Some(profile) = &connection.profile {
            loader = loader.profile_name(profile);
        }
        if is_loopback && connection.profile.is_none() && std::env::var_os("AWS_ACCESS_KEY_ID").is_none() {
            loader = loader.credentials_provider(dummy_credentials());
        }
        let mut config = loader.load().await;
        // An engine on this machine bills nobody, unless its user wants to know what AWS would.
        let priced = config.region().map(ToString::to_string).filter(|_| !is_loopback || connection.region.is_some());
        if config.region().is_none() {
            if !is_loopback {
                return Err(Failure::usage("no AWS region is set")
                    .help("pass --region, set AWS_REGION, or use --local for the embedded engine"));
            }
            config = config.into_builder().region(Region::new("us-east-1")).build();
        }
        let region = config.region().map(ToString::to_string).unwrap_or_default();
        let endpoint = endpoint.unwrap_or_else(|| format!("aws:{region}"));
        let settle = if is_loopback { Duration::ZERO } else { SETTLE };
        Ok(Session { region: priced, ..Session::new(&config, layout, endpoint, settle, false) })
    }

    fn new(config: &SdkConfig, layout: &Layout, endpoint: String, settle: Duration, is_embedded: bool) -> Self {
        let table = layout.table();
        let store = DynamoDb::new(Client::new(config), table.name.clone(), table.key.clone());
        Session {
            store,
            endpoint,
            settle,
            is_embedded,
            region: None,
            folder: None,
            config: config.clone(),
            settings: table.settings.clone(),
        }
    }

    /// Asks which table this is.
    pub(super) async fn table(&self) -> Result<ExistingTable, Failure> {
        Ok(ExistingTable::ask(self.store.client(), self.store.table(), self.endpoint.clone()).await?)
    }

    /// Before a write: asks which table this is, and says so where it is not in this process. A place that the
    /// definition does not name is refused.
    pub(super) async fn announce(&self) -> Result<ExistingTable, Failure> {
        let table = self.table().await?;
        if !self.is_embedded {
            output::say(&view::table::announce(&table));
            Place::of_table(table.identity.arn.as_deref(), &self.config).check(&self.settings)?;
        }
        Ok(table)
    }

    /// Before a table is made: refuses a place that the definition does not name.
    pub(super) async fn check_place(&self) -> Result<(), Failure> {
        if self.is_embedded || (self.settings.accounts.is_empty() && self.settings.regions.is_empty()) {
            return Ok(());
        }
        // The region is known without asking anybody.
        let regions = TableSettings { accounts: Vec::new(), ..self.settings.clone() };
        Place::of_table(None, &self.config).check(&regions)?;
        match self.settings.accounts.is_empty() {
            true => Ok(()),
            false => Place::of_credentials(&self.config).await?.check(&self.settings),
        }
    }
}

/// The client for TLS: built here, because the SDK's default brings a slower build.
pub(super) fn http_client() -> aws_sdk_dynamodb::config::SharedHttpClient {
    use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
    aws_smithy_http_client::Builder::new().tls_provider(Provider::Rustls(CryptoMode::Ring)).build_https()
}

fn dummy_credentials() -> SharedCredentialsProvider {
    SharedCredentialsProvider::new(Credentials::new("local", "local", None, None, "singletable"))
}

fn endpoint_of_environment() -> Option<String> {
    ENDPOINT_VARIABLES.iter().find_map(|name| std::env::var(name).ok()).filter(|url| !url.is_empty())
}

fn check_url(url: &str) -> Result<(), Failure> {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    match rest.is_some_and(|rest| !host_of(rest).is_empty() && !rest.contains(char::is_whitespace)) {
        true => Ok(()),
        false => Err(Failure::usage(format!("`{url}` is not an endpoint")).help("write it as http://127.0.0.1:4566")),
    }
}

fn is_loopback(url: &str) -> bool {
    let host = host_of(url.split_once("://").map_or(url, |(_, rest)| rest));
    host == "localhost"
        || host == "::1"
        || host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

/// The host of what stands behind `http://`.
fn host_of(rest: &str) -> &str {
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
        Some((host, _)) => host,
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// The embedded engine: served on a loopback port of this process, so that it is reached as any other.
#[cfg(feature = "local")]
pub(super) mod embedded {
    use std::path::Path;

    use super::*;

    /// Opens the engine that a folder keeps.
    pub(super) async fn open(typed: &Path, layout: &Layout) -> Result<Session, Failure> {
        let failure = |error: &dyn std::fmt::Display| {
            Failure::new(format!("the embedded engine cannot be opened in {}: {error}", typed.display()))
        };
        std::fs::create_dir_all(typed).map_err(|error| failure(&error))?;
        let folder = typed.canonicalize().map_err(|error| failure(&error))?;
        let file = folder.join("tables.sqlite");
        let Some(path) = file.to_str() else { return Err(failure(&"its path is not UTF-8")) };
        let engine = dynoxide::Database::new(path).map_err(|error| failure(&error))?;
        let session = serve(engine, layout, format!("embedded:{}", folder.display())).await?;
        Ok(Session { folder: Some(typed.to_owned()), ..session })
    }

    /// Opens an engine that is gone when the process ends.
    pub(in crate::cli) async fn in_memory(layout: &Layout) -> Result<Session, Failure> {
        let engine = dynoxide::Database::memory()
            .map_err(|error| Failure::new(format!("the embedded engine cannot be started: {error}")))?;
        serve(engine, layout, "embedded:memory".to_owned()).await
    }

    async fn serve(engine: dynoxide::Database, layout: &Layout, endpoint: String) -> Result<Session, Failure> {
        let failure = |error| Failure::new(format!("the embedded engine finds no free port: {error}"));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.map_err(failure)?;
        let address = listener.local_addr().map_err(failure)?;
        tokio::spawn(dynoxide::server::serve_on(listener, engine));
        let config = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(http_client())
            .endpoint_url(format!("http://{address}"))
            .region(Region::new("local"))
            .credentials_provider(dummy_credentials())
            .build();
        Ok(Session::new(&config, layout, endpoint, Duration::ZERO, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_endpoints_are_told_from_others() {
        for (url, loopback) in [
            ("http://127.0.0.1:4566", true),
            ("http://localhost:8000/", true),
            ("http://[::1]:8000", true),
            ("https://dynamodb.eu-west-1.amazonaws.com", false),
            ("http://localhost.example.com", false),
            ("http://10.0.0.1:8000", false),
        ] {
            assert_eq!(is_loopback(url), loopback, "{url}");
        }
    }

    #[test]
    fn what_is_no_endpoint_is_refused() {
        for url in ["127.0.0.1:4566", "http://", "ftp://x", "http://a b"] {
            assert!(check_url(url).is_err(), "{url}");
        }
        assert!(check_url("https://dynamodb.eu-west-1.amazonaws.com").is_ok());
    }
}
