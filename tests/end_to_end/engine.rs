//! The engines, and what each cannot do.

use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use singletable::Layout;
use singletable::client::{Created, DynamoDb, Event, PlanOptions, TableExtras, create_table, load, plan};
use singletable::fanout::{PlanInMemory, Request, TableIdentity};
use singletable::item::Input;
use singletable::layout::CreateTable;
use singletable::{Item, ItemBuilder};
use tokio_util::sync::CancellationToken;

/// What an engine cannot do: its name, the ability, and what it does instead.
pub(crate) const CANNOT: [(&str, Ability, &str); 4] = [
    ("dynalite", Ability::IndexCapacity, "reports the table's units only, though asked for INDEXES"),
    ("dynalite", Ability::Ttl, "answers UnknownOperationException to the time-to-live requests"),
    ("dynalite", Ability::MultiAttributeKeys, "takes one attribute in each part of a key, as AWS did before 2025-11"),
    ("ministack", Ability::ReadCapacity, "reports the same read units for every query"),
];

/// Says something even where the test passes: the handle is not captured, as the macro would be.
pub(crate) fn say_loudly(text: &str) {
    use std::io::Write;
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{text}").unwrap();
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    /// It reports what a write takes on each index.
    IndexCapacity,
    /// It reports what a read takes.
    ReadCapacity,
    /// It has a time to live.
    Ttl,
    /// It takes indexes with several attributes in one part of their key.
    MultiAttributeKeys,
}

pub(crate) struct Engine {
    pub(crate) name: String,
    pub(crate) client: Client,
    pub(crate) url: String,
}

impl Engine {
    /// An embedded engine in memory.
    pub(crate) async fn embedded() -> Engine {
        let engine = dynoxide::Database::memory().unwrap();
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(dynoxide::server::serve_on(listener, engine));
        Engine::at("embedded", &url)
    }

    /// Every engine that there is.
    pub(crate) async fn all() -> Vec<Engine> {
        let mut engines = vec![Engine::embedded().await];
        let named = std::env::var("SINGLETABLE_TEST_ENDPOINTS").unwrap_or_default();
        for pair in named.split_whitespace() {
            let (name, url) = pair.split_once('=').expect("SINGLETABLE_TEST_ENDPOINTS holds name=URL pairs");
            engines.push(Engine::at(name, url));
        }
        if engines.len() == 1 {
            say_loudly("NOT TESTED: other engines than the embedded one; SINGLETABLE_TEST_ENDPOINTS names none");
        }
        engines
    }

    fn at(name: &str, url: &str) -> Engine {
        let config = aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .endpoint_url(url)
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("local", "local", None, None, "tests"))
            .build();
        Engine { name: name.to_owned(), client: Client::from_conf(config), url: url.to_owned() }
    }

    pub(crate) fn can(&self, ability: Ability) -> bool {
        !CANNOT.iter().any(|(name, cannot, _)| *name == self.name && *cannot == ability)
    }

    /// Makes a definition's table under a name of its own.
    pub(crate) async fn table(&self, definition: &str) -> Table<'_> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let compiled = Layout::compile(definition);
        let layout = compiled.layout.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics));
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test-{}-{number}", std::process::id());
        let layout = layout.with_table_name(&name);
        let extras = TableExtras { point_in_time_recovery: false, ..TableExtras::of(&layout) };
        let extras = if self.can(Ability::Ttl) { extras } else { TableExtras::default() };
        let created = create_table(&self.client, &CreateTable::of(&layout), extras).await.unwrap();
        assert!(matches!(created, Created::Made(_)), "{}: {created:?}", self.name);
        let store = DynamoDb::new(self.client.clone(), name, layout.table().key.clone());
        Table { engine: self, layout, store }
    }
}

/// A table on an engine.
pub(crate) struct Table<'e> {
    pub(crate) engine: &'e Engine,
    pub(crate) layout: Layout,
    pub(crate) store: DynamoDb,
}

impl Table<'_> {
    /// Loads JSON Lines: plain attributes with their entity, or DynamoDB JSON.
    pub(crate) async fn load(&self, lines: &str) {
        let items: Vec<Item> =
            lines.lines().filter(|line| !line.trim().is_empty()).map(|line| self.item(line)).collect();
        self.put(items).await;
    }

    pub(crate) async fn put(&self, items: Vec<Item>) {
        let count = items.len() as u64;
        let partition = self.layout.table().partition_key();
        let report = load(&self.store, partition, items, true, 16, &CancellationToken::new(), |_| {}).await;
        assert_eq!(report.put, count, "{}: {:?}", self.engine.name, report.failed);
    }

    /// An item of one line.
    pub(crate) fn item(&self, line: &str) -> Item {
        match Input::parse(line).unwrap() {
            Input::Item(item) => item,
            Input::Attributes(attributes) => {
                let marker = self.layout.table().type_attribute.as_deref().unwrap();
                let told = attributes.get(marker).unwrap().as_str().unwrap();
                let is_told = |entity: &&singletable::model::Entity| entity.type_value == told || entity.name == told;
                let entity = self.layout.entities().iter().find(is_told).unwrap();
                ItemBuilder::new(&self.layout, entity).attributes(attributes).build().unwrap()
            }
        }
    }

    pub(crate) async fn identity(&self) -> TableIdentity {
        let found = singletable::client::ExistingTable::ask(&self.engine.client, self.store.table(), "test").await;
        found.unwrap().identity
    }

    /// Makes a plan, at a time at which only what expired in 1970 is expired.
    pub(crate) async fn plan(&self, request: Request) -> PlanInMemory {
        let options = PlanOptions { now: 1_000_000, ..Default::default() };
        let (sink, identity) = (PlanInMemory::sink(), self.identity().await);
        plan(&self.store, &self.layout, request, identity, &options, sink, |_| {}).await.unwrap()
    }

    /// Reads a request as it is typed: the source's key, `--set`, `--was` and `--include`.
    pub(crate) fn request(
        &self,
        entity: &str,
        key: &str,
        set: &[(&str, &str)],
        was: &[(&str, &str)],
        include: &[singletable::fanout::Class],
    ) -> Request {
        let own = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect::<Vec<_>>()
        };
        let key: Vec<(String, String)> = key
            .split(' ')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap())
            .collect();
        Request::parse(&self.layout, entity, &key, &own(set), &own(was), include.iter().copied().collect()).unwrap()
    }

    pub(crate) async fn apply(&self, plan: &PlanInMemory) -> singletable::fanout::Report {
        self.apply_telling(plan, |_| {}).await
    }

    /// The same without the later passes' changes: nothing but what the plan knew of is approved.
    pub(crate) async fn apply_as_planned(&self, plan: &PlanInMemory) -> singletable::fanout::Report {
        let options =
            singletable::client::ApplyOptions { approved: Some(singletable::capacity::WriteUnits(0)), ..options() };
        let mut ledger = singletable::fanout::Account::default();
        singletable::client::apply(&self.store, &self.layout, plan, &mut ledger, &options, |_| {}).await.unwrap()
    }

    pub(crate) async fn apply_telling(
        &self,
        plan: &PlanInMemory,
        tell: impl FnMut(Event),
    ) -> singletable::fanout::Report {
        let options = options();
        singletable::client::apply(
            &self.store,
            &self.layout,
            plan,
            &mut singletable::fanout::Account::default(),
            &options,
            tell,
        )
        .await
        .unwrap()
    }

    /// The item with this primary key, `PK` or `PK SK`.
    pub(crate) async fn read(&self, key: &str) -> Option<Item> {
        use singletable::client::Store;
        let fetched = self.store.fetch(&[self.key(key)]).await.unwrap();
        fetched.items.into_iter().next()
    }

    pub(crate) fn key(&self, key: &str) -> Item {
        let names = self.layout.table().key.names();
        Item(names.zip(key.split(' ')).map(|(name, value)| (name.to_owned(), value.into())).collect())
    }

    /// One attribute of an item, as plain JSON; `-` where it is absent.
    pub(crate) async fn value(&self, key: &str, path: &str) -> String {
        let item = self.read(key).await.unwrap_or_else(|| panic!("there is no {key}"));
        let mut steps = path.split('.');
        let mut value = item.get(steps.next().unwrap()).cloned();
        for step in steps {
            value = match value {
                Some(singletable::AttributeValue::M(mut fields)) => fields.remove(step),
                _ => None,
            };
        }
        value.map_or("-".to_owned(), |value| singletable::value::to_plain_json(&value))
    }
}

pub(crate) fn options() -> singletable::client::ApplyOptions {
    singletable::client::ApplyOptions {
        settle: std::time::Duration::ZERO,
        now: 1_000_000,
        ..singletable::client::ApplyOptions::default()
    }
}
