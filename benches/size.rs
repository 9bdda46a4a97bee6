//! What it takes to weigh an item, and to price an update of it.
//!
//! `cargo bench --bench size --no-default-features`. The baseline is `serde_dynamo::to_item` of the same item, from the
//! struct that a service would hold, in the same rounds; the figures are the ratios of the times. Allocations are
//! counted.

#![expect(clippy::print_stdout, reason = "what it prints is its result")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on says where")]

use std::hint::black_box;
use std::time::Instant;

use serde::Serialize;
use singletable::capacity::WriteCapacity;
use singletable::{AttributeValue, ItemBuilder, Layout, item_size};

const ROUNDS: usize = 31;

const DEFINITION: &str = r#"
    [table]
    name = "blog"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "entity"
    [indexes.GSI1]
    partition_key = "GSI1PK"
    sort_key = "GSI1SK"
    projection = ["authorName", "title"]
    [indexes.GSI2]
    partition_key = "GSI2PK"
    projection = "keys-only"
    [entities.Post]
    keys = { PK = "POST#{id}", SK = "META", GSI1PK = "USER#{authorId}", GSI1SK = "POST#{id}", GSI2PK = "STATE#{state}" }
    [entities.Post.attributes]
    id = "string"
    authorId = "string"
    authorName = "string"
    state = "string"
    title = "string"
    likes = "number"
    tags = { type = "list", of = "string", max_items = 20 }
    comments = { type = "list", max_items = 5000, of = { type = "map", attributes = { authorId = "string", name = "string", text = "string", at = "number" } } }
"#;

#[derive(Serialize)]
struct Post {
    id: String,
    #[serde(rename = "authorId")]
    author_id: String,
    #[serde(rename = "authorName")]
    author_name: String,
    state: String,
    title: String,
    likes: u64,
    tags: Vec<String>,
    comments: Vec<Comment>,
}

#[derive(Serialize)]
struct Comment {
    #[serde(rename = "authorId")]
    author_id: String,
    name: String,
    text: String,
    at: u64,
}

/// A post with so many comments, of some 200 bytes each.
fn post(comments: u64) -> Post {
    let comment = |at| Comment {
        author_id: format!("a{:05}", at % 97),
        name: "Ondra Vell".to_owned(),
        text: "t".repeat(150),
        at: 1_700_000_001 + at,
    };
    Post {
        id: "p0000042".to_owned(),
        author_id: "a00012".to_owned(),
        author_name: "Mara Vance".to_owned(),
        state: "live".to_owned(),
        title: "How the harbour was won".to_owned(),
        likes: 4217,
        tags: ["harbour", "lantern", "copper"].map(str::to_owned).to_vec(),
        comments: (0..comments).map(comment).collect(),
    }
}

fn main() {
    let layout = Layout::compile(DEFINITION).layout.unwrap();
    let entity = layout.entity("Post").unwrap();
    println!(
        "item of      serde_dynamo      size  ratio (spread)          allocs    update  ratio (spread)          allocs"
    );
    for comments in [3, 45, 2030] {
        let post = post(comments);
        let build = |post: &Post| ItemBuilder::new(&layout, entity).serde(post).unwrap().build().unwrap();
        let before = build(&post);
        let mut after = before.clone();
        after.0.insert("authorName".to_owned(), AttributeValue::S("Mara V.".to_owned()));
        let weigh = || {
            black_box(item_size(black_box(&before)));
        };
        let price = || drop(black_box(WriteCapacity::of_write(layout.table(), Some(black_box(&before)), Some(&after))));
        let baseline = || drop(black_box(serde_dynamo::to_item::<_, Theirs>(black_box(&post)).unwrap()));
        let times = 2_000_000 / item_size(&before).bytes().max(1000);
        let (mut sizes, mut updates, mut builds) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            builds.push(nanoseconds(times, baseline));
            sizes.push(nanoseconds(times, weigh));
            updates.push(nanoseconds(times, price));
        }
        let figure = |ours: &[f64], work: &dyn Fn()| {
            let mut ratios: Vec<f64> = ours.iter().zip(&builds).map(|(ours, theirs)| ours / theirs).collect();
            ratios.sort_by(f64::total_cmp);
            let (low, middle, high) = (ratios[0], ratios[ROUNDS / 2], ratios[ROUNDS - 1]);
            format!("{:7.0} ns  {middle:.4} ({low:.4} to {high:.4})  {:4}", median(ours), allocations(work))
        };
        println!(
            "{:6} bytes  {:9.0} ns {} {}",
            item_size(&before).bytes(),
            median(&builds),
            figure(&sizes, &weigh),
            figure(&updates, &price)
        );
    }
}

/// What serde_dynamo makes, with the names of the AWS SDK's types and none of its weight.
type Theirs = std::collections::HashMap<String, serde_dynamo::AttributeValue>;

fn median(figures: &[f64]) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

/// Of one run of many.
fn nanoseconds(times: u64, work: impl Fn()) -> f64 {
    let started = Instant::now();
    (0..times).for_each(|_| work());
    started.elapsed().as_nanos() as f64 / times as f64
}

fn allocations(work: &dyn Fn()) -> u64 {
    allocation_counter::measure(work).count_total
}
