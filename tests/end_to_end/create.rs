//! Making the table: once, and never differently.

use singletable::Layout;
use singletable::client::{Created, ExtraOutcome, Extras, TableExtras, create_table};
use singletable::layout::CreateTable;

use crate::engine::{Ability, Engine};

fn ttl(ttl: ExtraOutcome) -> Extras {
    Extras { ttl, point_in_time_recovery: ExtraOutcome::AsItWas }
}

#[tokio::test]
async fn a_table_is_made_once_and_then_found_as_it_is() {
    for engine in Engine::all().await {
        let blog = include_str!("../../tables/blog.toml");
        let table = engine.table(blog).await;
        let extras = if engine.can(Ability::Ttl) { TableExtras::of(&table.layout) } else { TableExtras::default() };
        let wanted = CreateTable::of(&table.layout);
        let again = create_table(&engine.client, &wanted, extras).await.unwrap();
        assert_eq!(again, Created::AlreadyThere(ttl(ExtraOutcome::AsItWas)), "{}", engine.name);
    }
}

#[tokio::test]
async fn a_table_that_differs_is_described_and_left() {
    for engine in Engine::all().await {
        let blog = include_str!("../../tables/blog.toml");
        let table = engine.table(blog).await;
        let other = blog.replace(r#"projection = ["authorName", "title"]"#, r#"projection = "all""#);
        let other = format!("{other}\n[indexes.GSI2]\npartition_key = \"GSI1SK\"\nprojection = \"keys-only\"\n");
        let layout = Layout::compile(&other).layout.unwrap().with_table_name(&table.layout.table().name);
        let found = create_table(&engine.client, &CreateTable::of(&layout), TableExtras::default()).await.unwrap();
        let Created::Differs(differences) = found else { panic!("{}: {found:?}", engine.name) };
        let what: Vec<&str> = differences.iter().map(|one| one.what.as_str()).collect();
        let expected: &[&str] = match engine.can(Ability::Ttl) {
            true => &["index GSI1", "index GSI2", "TTL attribute"],
            false => &["index GSI1", "index GSI2"],
        };
        assert_eq!(what, expected, "{}", engine.name);
        assert_eq!(differences[0].table, "GSI1PK and GSI1SK, INCLUDE authorName, title");
    }
}

#[tokio::test]
async fn a_time_to_live_that_is_off_is_switched_on_and_an_engine_without_one_says_so() {
    for engine in Engine::all().await {
        let table = engine.table("[table]\nname = \"x-x\"\npartition_key = \"PK\"\n[entities.A]\nkeys = { PK = \"A\" }\nattributes = { a = \"string\" }\n").await;
        let wanted = CreateTable::of(&table.layout);
        let outcome = if engine.can(Ability::Ttl) { ExtraOutcome::SwitchedOn } else { ExtraOutcome::Unsupported };
        let extras = TableExtras { ttl_attribute: Some("expiresAt"), ..TableExtras::default() };
        let found = create_table(&engine.client, &wanted, extras).await.unwrap();
        assert_eq!(found, Created::AlreadyThere(ttl(outcome)), "{}", engine.name);
    }
}

#[tokio::test]
async fn provisioned_throughput_is_asked_for_and_compared() {
    let engine = Engine::embedded().await;
    let definition = "[table]\nname = \"x-x\"\npartition_key = \"PK\"\nbilling = { read = 5, write = 6 }\n[entities.A]\nkeys = { PK = \"A\" }\nattributes = { a = \"string\" }\n";
    let table = engine.table(definition).await;
    let other = Layout::compile(&definition.replace("write = 6", "write = 7")).layout.unwrap();
    let other = other.with_table_name(&table.layout.table().name);
    let Created::Differs(differences) =
        create_table(&engine.client, &CreateTable::of(&other), TableExtras::default()).await.unwrap()
    else {
        panic!("the write units differ")
    };
    assert_eq!(differences[0].table, "5 read, 6 write units");
}

#[tokio::test]
async fn a_stream_a_local_index_and_types_of_keys_are_made_and_compared() {
    let definition = |stream: &str, local: &str| {
        format!(
            "[table]\nname = \"x-x\"\npartition_key = {{ name = \"a\", type = \"number\" }}\nsort_key = {{ name = \"b\", type = \"binary\" }}\n\
             streams = \"{stream}\"\n[indexes.Local]\nkind = \"local\"\nsort_key = {{ name = \"c\", type = \"number\" }}\nprojection = {local}\n\
             [entities.A]\nattributes = {{ a = \"number\", b = \"binary\", c = {{ type = \"number\", optional = true }} }}\n"
        )
    };
    for engine in Engine::all().await {
        let table = engine.table(&definition("new-and-old-images", "\"keys-only\"")).await;
        let described = engine.client.describe_table().table_name(table.store.table()).send().await.unwrap();
        let described = described.table.unwrap();
        assert_eq!(described.local_secondary_indexes().len(), 1, "{}", engine.name);
        let mut types: Vec<String> = described
            .attribute_definitions()
            .iter()
            .map(|one| format!("{} {}", one.attribute_name(), one.attribute_type().as_str()))
            .collect();
        types.sort();
        assert_eq!(types, ["a N", "b B", "c N"], "exactly the key attributes, on {}", engine.name);

        let other = Layout::compile(&definition("keys-only", "\"all\"")).layout.unwrap();
        let other = other.with_table_name(&table.layout.table().name);
        let found = create_table(&engine.client, &CreateTable::of(&other), TableExtras::default()).await.unwrap();
        let Created::Differs(differences) = found else { panic!("{}: {found:?}", engine.name) };
        assert_eq!(differences[0].what, "local index Local", "{}", engine.name);
    }
}
