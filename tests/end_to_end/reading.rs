//! How a table is read: side by side, within one bound, and with one outcome whatever answers first.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use singletable::client::{
    ApplyOptions, DynamoDb, Fetched, Page, PlanOptions, Query, Store, StoreError, Write, WriteError, Written, apply,
    plan,
};
use singletable::fanout::PlanInMemory;
use singletable::{AttributeValue, Item};

use crate::engine::{Engine, Table, options};

/// Answers in pages of three items, each after a while that a seed decides, and a batch back to front.
struct Slow<'a> {
    inner: &'a DynamoDb,
    seed: Mutex<u64>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    under_way: usize,
    most: usize,
    keys: Vec<Item>,
    pages: Vec<Query>,
}

impl Slow<'_> {
    async fn request<T>(&self, answer: impl Future<Output = T>) -> T {
        let pause = {
            let mut seed = self.seed.lock().unwrap();
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            Duration::from_millis(*seed >> 61)
        };
        {
            let mut seen = self.seen.lock().unwrap();
            seen.under_way += 1;
            seen.most = seen.most.max(seen.under_way);
        }
        tokio::time::sleep(pause).await;
        let answer = answer.await;
        self.seen.lock().unwrap().under_way -= 1;
        answer
    }
}

impl Store for Slow<'_> {
    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        self.seen.lock().unwrap().pages.push(query.clone());
        let from = match query.start.as_ref().and_then(|start| start.get("from")) {
            Some(AttributeValue::N(number)) => number.to_string().parse().unwrap(),
            _ => 0,
        };
        let page = self.request(self.inner.query(&query.clone().from(None))).await?;
        assert_eq!(page.next, None, "the test's table fits into a page");
        let left = page.items.len().saturating_sub(from + 3);
        let next = AttributeValue::N((from as u64 + 3).into());
        let next = (left > 0).then(|| Item::from_iter([("from", next)]));
        Ok(Page { items: page.items.into_iter().skip(from).take(3).collect(), next, ..page })
    }

    async fn fetch(&self, keys: &[Item]) -> Result<Fetched, StoreError> {
        self.seen.lock().unwrap().keys.extend_from_slice(keys);
        let mut fetched = self.request(self.inner.fetch(keys)).await?;
        fetched.items.reverse();
        Ok(fetched)
    }

    async fn write(&self, write: Write<'_>) -> Result<Written, WriteError> {
        self.request(self.inner.write(write)).await
    }
}

/// Makes one plan at several paces, and runs it; says how many requests were under way at most.
async fn at_any_pace(table: &Table<'_>, entity: &str, key: &str, set: (&str, &str), concurrency: usize) -> usize {
    let mut made: Option<PlanInMemory> = None;
    let mut most = 0;
    for seed in 0..5 {
        let store = Slow { inner: &table.store, seed: Mutex::new(seed), seen: Mutex::default() };
        let request = table.request(entity, key, &[set], &[], &[]);
        let (identity, options) = (table.identity().await, PlanOptions { concurrency, ..PlanOptions::default() });
        let one = plan(&store, &table.layout, request, identity, &options, PlanInMemory::sink(), |_| {}).await.unwrap();
        let seen = store.seen.into_inner().unwrap();
        assert!(seen.most <= concurrency, "{} requests were under way at once, of {concurrency}", seen.most);
        most = most.max(seen.most);
        let once = |keys: usize, what: &str, distinct: usize| assert_eq!(keys, distinct, "a {what} was read twice");
        let keys: BTreeSet<String> = seen.keys.iter().map(|key| format!("{key:?}")).collect();
        once(seen.keys.len(), "key", keys.len());
        let pages: BTreeSet<String> = seen.pages.iter().map(|query| format!("{query:?}")).collect();
        once(seen.pages.len(), "page", pages.len());
        assert!(one.changes.len() > 3);
        if let Some(made) = &made {
            assert_eq!(one.changes, made.changes, "the plan depends on which answer came first");
        }
        made = Some(one);
    }
    let store = Slow { inner: &table.store, seed: Mutex::new(7), seen: Mutex::default() };
    let options = ApplyOptions { concurrency, ..options() };
    let report =
        apply(&store, &table.layout, &made.unwrap(), &mut singletable::fanout::Account::default(), &options, |_| {})
            .await
            .unwrap();
    assert!(report.verified, "{report:?}");
    let seen = store.seen.into_inner().unwrap();
    assert!(seen.most <= concurrency, "{} requests were under way at once, of {concurrency}", seen.most);
    most
}

#[tokio::test]
async fn shards_are_read_side_by_side_and_make_one_plan() {
    let engine = Engine::embedded().await;
    for concurrency in [1, 2, 16] {
        let table = engine.table(include_str!("../../tables/busy-authors.toml")).await;
        table.load(include_str!("../../tables/busy-authors.jsonl")).await;
        let most = at_any_pace(&table, "Author", "id=north", ("name", "North"), concurrency).await;
        assert!(most > 3 || most == concurrency, "{most} of {concurrency}");
    }
}

const CLUBS: &str = r##"
    [table]
    name = "clubs"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "type"
    [indexes.GSI1]
    partition_key = "GSI1PK"
    sort_key = "GSI1SK"
    projection = "keys-only"
    [entities.Player]
    keys = { PK = "PLAYER#{id}", SK = "PLAYER" }
    attributes = { id = "string", name = "string" }
    [entities.Badge]
    keys = { PK = "BADGE#{id}", SK = "BADGE", GSI1PK = "PLAYER#{playerId}", GSI1SK = "BADGE#{id}" }
    attributes = { id = "string", playerId = "string", playerName = { type = "string", optional = true } }
    [entities.Badge.references.player]
    entity = "Player"
    by = { id = "playerId" }
    keep = "latest"
    copies = { playerName = "name" }
    [entities.Membership]
    keys = { PK = "PLAYER#{playerId}", SK = "CLUB#{clubId}#{year}" }
    attributes = { playerId = "string", clubId = "string", year = "string" }
    [entities.Membership.references.player]
    entity = "Player"
    by = { id = "playerId" }
    [entities.Membership.references.club]
    entity = "Club"
    by = { id = "clubId" }
    [entities.Club]
    keys = { PK = "CLUB#{id}", SK = "CLUB" }
    attributes = { id = "string", members = { type = "list", of = { type = "map", attributes = { playerId = "string", name = "string" } } } }
    [entities.Club.references.member]
    within = "members[]"
    entity = "Player"
    by = { id = "playerId" }
    keep = "latest"
    via = "link:Membership"
    copies = { name = "name" }
"##;

#[tokio::test]
async fn a_keys_only_index_and_links_are_read_within_the_bound_and_make_one_plan() {
    let engine = Engine::embedded().await;
    for concurrency in [1, 2, 16] {
        let table = engine.table(CLUBS).await;
        let mut lines = "{\"type\":\"Player\",\"id\":\"1\",\"name\":\"Old\"}\n".to_owned();
        for id in 0..20 {
            lines += &format!("{{\"type\":\"Badge\",\"id\":\"{id}\",\"playerId\":\"1\",\"playerName\":\"Old\"}}\n");
            lines += &format!(
                "{{\"type\":\"Club\",\"id\":\"{id}\",\"members\":[{{\"playerId\":\"1\",\"name\":\"Old\"}}]}}\n"
            );
            // Two links lead to one club.
            for year in [2024, 2025] {
                lines += &format!(
                    "{{\"type\":\"Membership\",\"playerId\":\"1\",\"clubId\":\"{id}\",\"year\":\"{year}\"}}\n"
                );
            }
        }
        table.load(&lines).await;
        let most = at_any_pace(&table, "Player", "id=1", ("name", "New"), concurrency).await;
        assert!(most > 2 || most == concurrency, "{most} of {concurrency}");
    }
}
