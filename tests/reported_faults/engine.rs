//! Tables on the embedded engine, in memory.

use std::sync::atomic::{AtomicUsize, Ordering};

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::retry::RetryConfig;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use singletable::client::{
    ApplyOptions, Created, DynamoDb, ExistingTable, ItemChange, PlanOptions, Store, TableExtras, Write, apply,
    change_item, create_table,
};
use singletable::client::{ChangeError, ItemChanged};
use singletable::fanout::{Class, PlanInMemory, Report, Request};
use singletable::item::Input;
use singletable::layout::CreateTable;
use singletable::{Item, ItemBuilder, Layout};

use crate::Changes;

/// A client of an endpoint, which tries nothing twice.
pub(crate) fn client(url: &str) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .endpoint_url(url)
        .region(Region::new("us-east-1"))
        .credentials_provider(Credentials::new("local", "local", None, None, "tests"))
        .retry_config(RetryConfig::disabled())
        .build();
    Client::from_conf(config)
}

pub(crate) struct Table {
    pub(crate) client: Client,
    pub(crate) layout: Layout,
    pub(crate) store: DynamoDb,
}

/// The time at which plans are made and run.
const NOW: u64 = 1_000_000;

impl Table {
    /// A definition's table on an engine of its own, with these items: plain JSON with the entity's name as `type`, or
    /// DynamoDB JSON.
    pub(crate) async fn new(definition: &str, items: &[&str]) -> Table {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let engine = dynoxide::Database::memory().unwrap();
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let client = client(&format!("http://{}", listener.local_addr().unwrap()));
        tokio::spawn(dynoxide::server::serve_on(listener, engine));
        let name = format!("test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let layout = crate::layout(definition).with_table_name(&name);
        let extras = TableExtras { point_in_time_recovery: false, ..TableExtras::of(&layout) };
        let created = create_table(&client, &CreateTable::of(&layout), extras).await.unwrap();
        assert!(matches!(created, Created::Made(_)), "{created:?}");
        let store = DynamoDb::new(client.clone(), name, layout.table().key.clone());
        let table = Table { client, layout, store };
        for line in items {
            table.put(line).await;
        }
        table
    }

    pub(crate) async fn put(&self, line: &str) {
        let item = match Input::parse(line).unwrap() {
            Input::Item(item) => item,
            Input::Attributes(mut attributes) => {
                let entity = attributes.remove("type").unwrap();
                let entity = self.layout.entity(entity.as_str().unwrap()).unwrap();
                ItemBuilder::new(&self.layout, entity).attributes(attributes).build().unwrap()
            }
        };
        self.store.write(Write::Put { item: &item, conditions: &[] }).await.unwrap();
    }

    /// A primary key of texts: `PK`, or `PK SK`.
    pub(crate) fn key(&self, key: &str) -> Item {
        let names = self.layout.table().key.names();
        Item(names.zip(key.split(' ')).map(|(name, value)| (name.to_owned(), value.into())).collect())
    }

    pub(crate) async fn read(&self, key: &str) -> Option<Item> {
        self.store.fetch(&[self.key(key)]).await.unwrap().items.into_iter().next()
    }

    /// One attribute of an item, in DynamoDB JSON.
    pub(crate) async fn value(&self, key: &str, name: &str) -> Option<String> {
        self.read(key).await.unwrap().get(name).map(|value| serde_json::to_string(value).unwrap())
    }

    pub(crate) async fn delete(&self, key: &str) {
        let mut request = self.client.delete_item().table_name(self.store.table());
        for (name, value) in self.key(key).0 {
            let text = value.as_str().unwrap().to_owned();
            request = request.key(name, aws_sdk_dynamodb::types::AttributeValue::S(text));
        }
        request.send().await.unwrap();
    }

    /// Changes an item without reading it first, or going by what it holds.
    pub(crate) async fn change(
        &self,
        entity: &str,
        key: &str,
        changes: Changes,
        told: Changes,
        read: bool,
    ) -> Result<ItemChanged, ChangeError> {
        let change = ItemChange { key: self.key(key), changes, relative: Default::default(), told, read };
        change_item(&self.store, &self.layout, self.layout.entity(entity).unwrap(), &change).await
    }

    /// A plan for a source of which one attribute is changed.
    pub(crate) async fn plan(&self, entity: &str, id: &str, set: (&str, &str), include: &[Class]) -> PlanInMemory {
        let own = |(name, value): (&str, &str)| vec![(name.to_owned(), value.to_owned())];
        let include = include.iter().copied().collect();
        let request = Request::parse(&self.layout, entity, &own(("id", id)), &own(set), &[], include).unwrap();
        let found = ExistingTable::ask(&self.client, self.store.table(), "test").await.unwrap();
        let (options, sink) = (PlanOptions { now: NOW, ..Default::default() }, PlanInMemory::sink());
        let made =
            singletable::client::plan(&self.store, &self.layout, request, found.identity, &options, sink, |_| {});
        made.await.unwrap()
    }

    pub(crate) async fn apply(&self, plan: &PlanInMemory) -> Report {
        self.apply_through(&self.store, plan).await
    }

    /// Runs a plan over a store of its own.
    pub(crate) async fn apply_through(&self, store: &impl Store, plan: &PlanInMemory) -> Report {
        let options = ApplyOptions { settle: std::time::Duration::ZERO, now: NOW, ..ApplyOptions::default() };
        apply(store, &self.layout, plan, &mut singletable::fanout::Account::default(), &options, |_| {}).await.unwrap()
    }
}
