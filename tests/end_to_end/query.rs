//! What a query is said to take is what it takes.

use singletable::capacity::{Consistency, Pages, entry_size};
use singletable::client::{Query, Store};
use singletable::layout::{KeyCondition, Layout};
use singletable::model::IndexScope;
use singletable::{Attributes, Item, item_size};

use crate::blog::generate;
use crate::engine::Engine;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_authors_posts_take_what_was_said_in_the_index_and_in_the_table() {
    let Some(data) = generate("gen_authors_posts.py", &["--authors", "4", "--posts", "600", "--max-body", "9000"])
    else {
        return;
    };
    let lines = std::fs::read_to_string(data.path().join("items.jsonl")).unwrap();
    let wide =
        include_str!("../blog/blog.toml").replace("projection = [\"entity\", \"authorName\"]", "projection = \"all\"");
    let layout = Layout::compile(&wide).layout.unwrap();
    let items: Vec<Item> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let engine = Engine::embedded().await;
    let table = engine.table(&wide).await;
    table.load(&lines).await;

    let index = layout.table().index("GSI1").unwrap();
    assert_eq!(index.scope, IndexScope::Global);
    let mut several_pages = false;
    for author in 0..4 {
        let given = Attributes::from_iter([("authorId".to_owned(), format!("a{author:05}").into())]);
        let post = layout.entity("Post").unwrap();
        let conditions = KeyCondition::of(&layout, post, Some("GSI1"), &given).unwrap();
        let [condition] = &conditions[..] else { panic!("one partition") };
        let mut pages = Pages::default();
        // The engine reads the whole partition, in the order of its sort keys.
        let mut entries: Vec<&Item> =
            items.iter().filter(|item| item.get("GSI1PK") == condition.partition.get("GSI1PK")).collect();
        entries.sort_by_key(|item| item.get("GSI1SK").unwrap().as_str().unwrap());
        entries.iter().for_each(|item| pages.add(entry_size(layout.table(), index, item).unwrap()));
        let said = pages.read(Some("GSI1"), Consistency::Eventual).total();

        let mut query = Query::partition(Some("GSI1".to_owned()), condition.partition.clone());
        let (mut took, mut found) = (singletable::capacity::ReadUnits::default(), 0);
        loop {
            let page = table.store.query(&query).await.unwrap();
            took += page.consumed;
            found += page.items.len() as u64;
            assert!(page.items.iter().all(|item| condition.holds(item) || item.get("entity") != Some(&"Post".into())));
            match page.next {
                Some(next) => query = query.from(Some(next)),
                None => break,
            }
        }
        several_pages |= pages.sizes().count() > 1;
        assert_eq!(found, pages.items());
        // Where exactly a page ends is not documented: half a unit for each.
        let doubt = pages.sizes().count() as u64;
        assert!(took.halves().abs_diff(said.halves()) <= doubt, "author {author}: {took}, and {said} was said");
    }
    assert!(several_pages, "the data is large enough to tell");

    let profile = KeyCondition::of(
        &layout,
        layout.entity("Author").unwrap(),
        None,
        &Attributes::from_iter([("authorId".to_owned(), "a00000".into())]),
    );
    let profile = &profile.unwrap()[0];
    let mut pages = Pages::default();
    items.iter().filter(|item| profile.holds(item)).for_each(|item| pages.add(item_size(item)));
    let page = table.store.query(&Query::partition(None, profile.partition.clone())).await.unwrap();
    assert_eq!(page.consumed, pages.read(None, Consistency::Strong).total());
    let page = table.store.query(&Query::partition(None, profile.partition.clone()).eventually()).await.unwrap();
    assert_eq!(page.consumed, pages.read(None, Consistency::Eventual).total());
}
