//! What `estimate copies` says of a change of every source is what planning a change of each adds up to.

use std::collections::BTreeMap;

use singletable::Item;
use singletable::capacity::WriteCapacity;
use singletable::copies::CopiesEstimate;
use singletable::fanout::{Class, Plan as _};
use singletable::layout::Layout;

use crate::blog::generate;
use crate::engine::Engine;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_every_source_is_the_sum_of_its_plans() {
    let Some(data) = generate("gen_authors_posts.py", &["--authors", "12", "--posts", "800", "--max-body", "2500"])
    else {
        return;
    };
    let definition = include_str!("../blog/blog.toml");
    let layout = Layout::compile(definition).layout.unwrap();
    let lines = std::fs::read_to_string(data.path().join("items.jsonl")).unwrap();
    let all: Vec<Item> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let text = |item: &Item, name: &str| item.get(name).map(|value| value.as_str().unwrap().to_owned());
    let names: BTreeMap<Option<String>, usize> =
        all.iter().filter_map(|item| Some((text(item, "authorId"), text(item, "name")?.len()))).collect();
    // A copy of another length than its source's new name may take a unit more or less.
    let is_as_long = |item: &Item| {
        text(item, "authorName").is_none_or(|copy| names.get(&text(item, "authorId")) == Some(&copy.len()))
    };
    let items: Vec<Item> = all.into_iter().filter(is_as_long).collect();
    let mut estimate = CopiesEstimate::new(&layout);
    items.iter().for_each(|item| estimate.add(item));
    let mut said = WriteCapacity::default();
    let reports = estimate.reports();
    reports.iter().for_each(|report| said += &report.every_change);

    let engine = Engine::embedded().await;
    let table = engine.table(definition).await;
    table.put(items.clone()).await;
    let mut planned = WriteCapacity::default();
    let mut targets = 0;
    for author in items.iter().filter(|item| item.get("entity") == Some(&"Author".into())) {
        let name = "x".repeat(text(author, "name").unwrap().len());
        let key = format!("authorId={}", text(author, "authorId").unwrap());
        let request = table.request("Author", &key, &[("name", &name)], &[], &[Class::Diverged]);
        let plan = table.plan(request).await;
        planned += &plan.totals().estimate.write_units;
        targets += plan.totals().changes;
    }
    assert!(targets > 50, "{targets}");
    assert_eq!(said, planned);
    assert_eq!(reports.iter().map(|report| report.items.total).sum::<u64>(), targets);
}
