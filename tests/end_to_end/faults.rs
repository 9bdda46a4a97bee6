//! Faults that no engine makes by itself: a store around the real one that makes them.

use std::collections::BTreeMap;
use std::sync::Mutex;

use singletable::Item;
use singletable::client::{
    DynamoDb, Fetched, Page, PlanOptions, Query, Store, StoreError, Write, WriteError, Written, apply, plan,
};
use singletable::fanout::PlanInMemory;

use crate::engine::{Engine, Table, options};

/// What goes wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// The answer to every update is lost after it took effect.
    LostAnswers,
    /// Every page is preceded by one that holds nothing and is not the last.
    EmptyPages,
    /// An index shows its entries as they were when the store was made.
    LaggingIndex,
    /// From the third update on, the credentials are refused.
    CredentialsExpire,
    /// Every second update is throttled through all retries.
    Throttled,
}

struct Faulty<'a> {
    inner: &'a DynamoDb,
    fault: Fault,
    updates: Mutex<u32>,
    empty_page_given: Mutex<bool>,
    first_pages: Mutex<BTreeMap<String, Page>>,
}

impl<'a> Faulty<'a> {
    fn new(inner: &'a DynamoDb, fault: Fault) -> Self {
        Faulty {
            inner,
            fault,
            updates: Mutex::new(0),
            empty_page_given: Mutex::new(false),
            first_pages: Mutex::default(),
        }
    }
}

impl Store for Faulty<'_> {
    async fn query(&self, query: &Query) -> Result<Page, StoreError> {
        if self.fault == Fault::EmptyPages {
            let mut given = self.empty_page_given.lock().unwrap();
            *given = !*given;
            if *given {
                let next = query.start.clone().or_else(|| query.partition.clone());
                return Ok(Page { next, ..Page::default() });
            }
        }
        let is_made_up = self.fault == Fault::EmptyPages && query.start == query.partition;
        let query = query.clone().from(query.start.clone().filter(|_| !is_made_up));
        if self.fault == Fault::LaggingIndex {
            let place = format!("{query:?}");
            if let Some(page) = self.first_pages.lock().unwrap().get(&place) {
                return Ok(page.clone());
            }
            let page = self.inner.query(&query).await?;
            self.first_pages.lock().unwrap().insert(place, page.clone());
            return Ok(page);
        }
        self.inner.query(&query).await
    }

    async fn fetch(&self, keys: &[Item]) -> Result<Fetched, StoreError> {
        self.inner.fetch(keys).await
    }

    async fn write(&self, write: Write<'_>) -> Result<Written, WriteError> {
        let number = {
            let mut updates = self.updates.lock().unwrap();
            *updates += 1;
            *updates
        };
        match self.fault {
            Fault::CredentialsExpire if number > 2 => Err(StoreError::Credentials("expired".to_owned()).into()),
            Fault::Throttled if number % 2 == 0 => Err(StoreError::Throttled("slow down".to_owned()).into()),
            Fault::LostAnswers => {
                self.inner.write(write).await?;
                // The SDK tries again, and the second try meets what the first one wrote.
                self.inner.write(write).await
            }
            _ => self.inner.write(write).await,
        }
    }
}

async fn blog(engine: &Engine) -> Table<'_> {
    let table = engine.table(include_str!("../../tables/blog.toml")).await;
    let mut lines = r#"{"entity":"Author","id":"12","name":"Mara Vance"}"#.to_owned();
    for id in 1..=9 {
        lines += &format!(
            "\n{{\"entity\":\"Post\",\"id\":\"{id}\",\"authorId\":\"12\",\"authorName\":\"Mara Vance\",\"title\":\"t\",\"publishedAt\":\"2026-01-0{id}T00:00:00.000Z\"}}"
        );
    }
    table.load(&lines).await;
    table
}

async fn run(table: &Table<'_>, fault: Fault) -> singletable::fanout::Report {
    let store = Faulty::new(&table.store, fault);
    let request = table.request("Author", "id=12", &[("name", "Mara V.")], &[], &[]);
    let planning = PlanOptions::default();
    let plan = plan(&store, &table.layout, request, table.identity().await, &planning, PlanInMemory::sink(), |_| {});
    let plan = plan.await.unwrap();
    assert_eq!(plan.totals.targets.stale, 9);
    let options = singletable::client::ApplyOptions { concurrency: 1, ..options() };
    apply(&store, &table.layout, &plan, &mut singletable::fanout::Account::default(), &options, |_| {}).await.unwrap()
}

#[tokio::test]
async fn our_own_retry_after_a_lost_answer_is_no_conflict() {
    for engine in Engine::all().await {
        let table = blog(&engine).await;
        let report = run(&table, Fault::LostAnswers).await;
        assert_eq!((report.outcomes.already_current, report.outcomes.conflict), (9, 0), "{}", engine.name);
        assert!(report.verified);
    }
}

#[tokio::test]
async fn empty_pages_are_not_the_end() {
    let engine = Engine::embedded().await;
    let report = run(&blog(&engine).await, Fault::EmptyPages).await;
    assert_eq!((report.outcomes.applied, report.verified), (9, true));
}

#[tokio::test]
async fn what_a_lagging_index_shows_is_read_again_before_it_is_believed() {
    let engine = Engine::embedded().await;
    let report = run(&blog(&engine).await, Fault::LaggingIndex).await;
    assert_eq!((report.outcomes.applied, report.still_different, report.verified), (9, 0, true));
}

#[tokio::test]
async fn expired_credentials_stop_the_run_and_leave_the_rest_untried() {
    let engine = Engine::embedded().await;
    let table = blog(&engine).await;
    let report = run(&table, Fault::CredentialsExpire).await;
    assert_eq!((report.outcomes.applied, report.outcomes.failed, report.outcomes.not_attempted), (1, 1, 7));
    assert!(!report.verified && !report.interrupted);
    assert!(report.problems[0].contains("credentials"), "{:?}", report.problems);

    let request = table.request("Author", "id=12", &[("name", "Mara V.")], &[], &[]);
    let rest = table.plan(request).await;
    assert_eq!(rest.totals.targets.stale, 8);
    assert!(table.apply(&rest).await.verified);
}

#[tokio::test]
async fn a_throttled_write_fails_alone_and_a_later_pass_makes_it() {
    let engine = Engine::embedded().await;
    let table = blog(&engine).await;
    let report = run(&table, Fault::Throttled).await;
    assert_eq!((report.outcomes.applied, report.outcomes.failed, report.outcomes.not_attempted), (9, 0, 0));
    assert_eq!((report.still_different, report.verified), (0, true));
    assert!(report.problems[0].contains("throttled"), "{:?}", report.problems);
}

/// An endpoint that answers every request with one error.
async fn answering(code: &'static str) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut connection, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut request = [0; 65_536];
                while connection.read(&mut request).await.is_ok_and(|read| read > 0) {
                    let body =
                        format!(r#"{{"__type":"com.amazon.coral.service#{code}","message":"told by the test"}}"#);
                    let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0";
                    let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                    if connection.write_all(answer.as_bytes()).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    url
}

#[tokio::test]
async fn refused_credentials_denied_access_and_a_missing_table_are_told_apart() {
    let blog = concat!(env!("CARGO_MANIFEST_DIR"), "/tables/blog.toml");
    for (code, sentence) in [
        ("UnrecognizedClientException", "error: the credentials are missing or refused: told by the test"),
        ("ExpiredTokenException", "error: the credentials are missing or refused: told by the test"),
        ("AccessDeniedException", "error: access is denied: told by the test"),
        ("ResourceNotFoundException", "error: there is no table `blog` at this endpoint"),
        ("ValidationException", "error: the request was refused (ValidationException): told by the test"),
    ] {
        let url = answering(code).await;
        let run = tokio::process::Command::new(env!("CARGO_BIN_EXE_singletable"))
            .args(["-d", blog, "get", "Author", "id=12", "--endpoint-url", &url])
            .env("NO_COLOR", "1")
            .output()
            .await
            .unwrap();
        let stderr = String::from_utf8(run.stderr).unwrap();
        assert_eq!(stderr.lines().next(), Some(sentence));
        assert_eq!((run.status.code(), run.stdout.len()), (Some(1), 0));
    }
}
