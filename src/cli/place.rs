//! Whether a definition lets its table be written to where a command would write.

use aws_config::SdkConfig;

use super::failure::Failure;
use crate::model::TableSettings;

/// The account and the region of a table.
pub(super) struct Place {
    account: Option<String>,
    region: Option<String>,
}

impl Place {
    /// Reads `arn:aws:dynamodb:REGION:ACCOUNT:table/NAME`. What an ARN does not tell is taken from the configuration.
    pub(super) fn of_table(arn: Option<&str>, config: &SdkConfig) -> Place {
        let parts: Vec<&str> = arn.unwrap_or_default().split(':').collect();
        let part = |at: usize| parts.get(at).filter(|part| !part.is_empty()).map(|part| (*part).to_owned());
        let configured = config.region().map(ToString::to_string);
        Place { account: part(4), region: part(3).or(configured) }
    }

    /// Asks whose credentials these are: a table that is not there yet has no ARN.
    pub(super) async fn of_credentials(config: &SdkConfig) -> Result<Place, Failure> {
        let asked = aws_sdk_sts::Client::new(config).get_caller_identity().send().await;
        let answer = asked.map_err(|error| {
            let mut reason: &dyn std::error::Error = &error;
            while let Some(cause) = reason.source() {
                reason = cause;
            }
            Failure::new(format!("which AWS account this is cannot be told, and nothing was written: {reason}")).help(
                "the definition names its `accounts`; allow sts:GetCallerIdentity, or create the table in another way",
            )
        })?;
        Ok(Place { account: answer.account, region: config.region().map(ToString::to_string) })
    }

    /// Refuses a place that the definition does not name.
    pub(super) fn check(&self, settings: &TableSettings) -> Result<(), Failure> {
        let refuse = |what: &str, found: Option<&str>, named: &[String]| {
            let found = found.unwrap_or("unknown");
            Err(Failure::new(format!(
                "the definition lets its table be written to in {what} {} only, and this is {found}; nothing was written",
                named.join(" or ")
            ))
            .help(format!("check --profile, --region and --endpoint-url, or the definition's `{what}s`")))
        };
        let is_named = |found: &Option<String>, named: &[String]| {
            named.is_empty() || found.as_ref().is_some_and(|found| named.contains(found))
        };
        if !is_named(&self.account, &settings.accounts) {
            return refuse("account", self.account.as_deref(), &settings.accounts);
        }
        if !is_named(&self.region, &settings.regions) {
            return refuse("region", self.region.as_deref(), &settings.regions);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_named_is_refused_and_one_that_cannot_be_told_too() {
        let config = SdkConfig::builder().build();
        let settings = TableSettings {
            accounts: vec!["123456789012".to_owned()],
            regions: vec!["eu-west-1".to_owned(), "eu-west-2".to_owned()],
            ..TableSettings::default()
        };
        for (arn, allowed) in [
            (Some("arn:aws:dynamodb:eu-west-2:123456789012:table/blog"), true),
            (Some("arn:aws:dynamodb:us-east-1:123456789012:table/blog"), false),
            (Some("arn:aws:dynamodb:eu-west-1:000000000000:table/blog"), false),
            (None, false),
        ] {
            assert_eq!(Place::of_table(arn, &config).check(&settings).is_ok(), allowed, "{arn:?}");
            assert!(Place::of_table(arn, &config).check(&TableSettings::default()).is_ok());
        }
    }
}
