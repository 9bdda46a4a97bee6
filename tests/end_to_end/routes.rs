//! The ways to copies that have to be written, and the partitions that are spread over shards.

use singletable::fanout::PlanInMemory;

use crate::engine::{Ability, Engine, Table};

async fn example<'e>(engine: &'e Engine, definition: &str, samples: &str) -> Table<'e> {
    let table = engine.table(definition).await;
    table.load(samples).await;
    table
}

/// Runs a plan, and holds what it takes against what was consumed.
async fn run(table: &Table<'_>, plan: &PlanInMemory) {
    let report = table.apply(plan).await;
    assert!(report.verified, "{}: {report:?}", table.engine.name);
    let mut forecast = plan.totals.estimate.source_write_units.clone();
    forecast += &plan.totals.estimate.write_units;
    match table.engine.can(Ability::IndexCapacity) {
        true => assert_eq!(report.consumed.write_units, forecast, "{}", table.engine.name),
        false => assert_eq!(report.consumed.write_units.table, forecast.table, "{}", table.engine.name),
    }
}

#[tokio::test]
async fn a_sharded_index_is_read_shard_by_shard() {
    for engine in Engine::all().await {
        let (definition, samples) =
            (include_str!("../../tables/busy-authors.toml"), include_str!("../../tables/busy-authors.jsonl"));
        let table = example(&engine, definition, samples).await;
        let plan = table.plan(table.request("Author", "id=north", &[("name", "North")], &[], &[])).await;
        let posts = samples.lines().filter(|line| line.contains("\"authorId\":\"north\"")).count() as u64;
        let partitions: std::collections::BTreeSet<String> = samples
            .lines()
            .filter(|line| line.contains("\"authorId\":\"north\""))
            .map(|line| table.item(line).get("authorShard").unwrap().as_str().unwrap().to_owned())
            .collect();
        assert!(partitions.len() > 2, "the posts are spread: {partitions:?}");
        assert_eq!(plan.totals.targets.found, posts, "{}", engine.name);
        run(&table, &plan).await;
    }
}

#[tokio::test]
async fn a_link_leads_to_the_items_that_it_names_and_to_no_others() {
    for engine in Engine::all().await {
        let (definition, samples) =
            (include_str!("../../tables/courses.toml"), include_str!("../../tables/courses.jsonl"));
        let table = example(&engine, definition, samples).await;
        // A course that lists her, but that she is not enrolled in: no link leads there.
        table
            .load(r#"{"entity":"Course","courseId":"unlinked","title":"t","students":[{"studentId":"s1","name":"Linnea Marsh"}]}"#)
            .await;
        let plan = table.plan(table.request("Student", "studentId=s1", &[("name", "Lin")], &[], &[])).await;
        let courses = plan.changes.iter().filter(|change| change.entity == "Course").count();
        assert_eq!(courses, 1, "{}: {:?}", engine.name, plan.totals);
        run(&table, &plan).await;
        assert!(table.value("COURSE#c1 COURSE", "students").await.contains("\"Lin\""), "{}", engine.name);
        assert!(table.value("COURSE#unlinked COURSE", "students").await.contains("Linnea Marsh"), "{}", engine.name);
    }
}

const CAPTAINS: &str = r##"
    [table]
    name = "captains"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "type"
    [entities.Player]
    keys = { PK = "PLAYER#{id}", SK = "PLAYER" }
    attributes = { id = "string", name = "string" }
    [entities.Captaincy]
    keys = { PK = "PLAYER#{playerId}", SK = "CAPTAIN" }
    attributes = { playerId = "string", clubId = "string" }
    [entities.Captaincy.references.player]
    entity = "Player"
    by = { id = "playerId" }
    [entities.Captaincy.references.club]
    entity = "Club"
    by = { id = "clubId" }
    [entities.Club]
    keys = { PK = "CLUB#{id}", SK = "CLUB" }
    [entities.Club.attributes]
    id = "string"
    captains = { type = "list", of = { type = "map", attributes = { playerId = "string", name = "string" } } }
    [entities.Club.references.captain]
    within = "captains[]"
    entity = "Player"
    by = { id = "playerId" }
    keep = "latest"
    copies = { name = "name" }
    via = "link:Captaincy"
"##;

#[tokio::test]
async fn a_link_that_one_key_finds_leads_on_too() {
    for engine in Engine::all().await {
        let samples = r#"{"type":"Player","id":"1","name":"Old"}
            {"type":"Captaincy","playerId":"1","clubId":"a"}
            {"type":"Club","id":"a","captains":[{"playerId":"1","name":"Old"}]}"#;
        let table = example(&engine, CAPTAINS, samples).await;
        let plan = table.plan(table.request("Player", "id=1", &[("name", "New")], &[], &[])).await;
        assert_eq!(plan.changes.len(), 1, "{}: {:?}", engine.name, plan.totals);
        run(&table, &plan).await;
        assert!(table.value("CLUB#a CLUB", "captains").await.contains("\"New\""), "{}", engine.name);
    }
}

const PARTS: &str = r##"
    [table]
    name = "parts"
    partition_key = "PK"
    type_attribute = "type"
    [indexes.All]
    partition_key = "all"
    sort_key = "PK"
    projection = ["makerId", "maker"]
    [entities.Maker]
    keys = { PK = "MAKER#{id}" }
    attributes = { id = "string", name = "string" }
    [entities.Part]
    keys = { PK = "PART#{id}", all = "PARTS" }
    attributes = { id = "string", makerId = { type = "string", optional = true }, maker = { type = "string", optional = true } }
    [entities.Part.references.maker]
    entity = "Maker"
    by = { id = "makerId" }
    keep = "latest"
    copies = { maker = "name" }
    VIA
"##;

/// Parts of two makers, and of none.
async fn parts<'e>(engine: &'e Engine, via: &str) -> Table<'e> {
    let mut lines = "{\"type\":\"Maker\",\"id\":\"1\",\"name\":\"Old\"}\n".to_owned();
    for id in 0..30 {
        let maker = match id % 3 {
            0 => ",\"makerId\":\"1\",\"maker\":\"Old\"",
            1 => ",\"makerId\":\"2\",\"maker\":\"Old\"",
            _ => "",
        };
        lines += &format!("{{\"type\":\"Part\",\"id\":\"{id}\"{maker}}}\n");
    }
    example(engine, &PARTS.replace("VIA", via), &lines).await
}

#[tokio::test]
async fn a_constant_partition_and_a_scan_are_read_through_filtered_and_priced() {
    for engine in Engine::all().await {
        for via in ["via = \"All\"", "via = \"scan\""] {
            let table = parts(&engine, via).await;
            let plan = table.plan(table.request("Maker", "id=1", &[("name", "New")], &[], &[])).await;
            let place = format!("{} {via}", engine.name);
            assert_eq!((plan.totals.targets.found, plan.totals.targets.misfiled), (10, 0), "{place}");
            run(&table, &plan).await;
            assert_eq!(table.value("PART#1", "maker").await, "\"Old\"", "{place}");
            assert_eq!(table.value("PART#0", "maker").await, "\"New\"", "{place}");
        }
    }
}

#[tokio::test]
async fn a_scan_costs_what_the_whole_table_weighs() {
    let engine = Engine::embedded().await;
    let table = parts(&engine, "via = \"scan\"").await;
    let text = "x".repeat(4000);
    let lines: Vec<String> =
        (100..120).map(|id| format!("{{\"type\":\"Part\",\"id\":\"{id}\",\"text\":\"{text}\"}}")).collect();
    table.load(&lines.join("\n")).await;
    let plan = table.plan(table.request("Maker", "id=1", &[("name", "New")], &[], &[])).await;
    // 20 items of 4 KB take 20 units, read strongly.
    assert!(plan.totals.estimate.read_units.planning.halves() >= 2 * 20);
    let report = table.apply(&plan).await;
    assert_eq!(report.consumed.read_units, plan.totals.estimate.read_units.apply);
}

const GAMES: &str = r##"
    [table]
    name = "games"
    allow = [{ code = "layout.collision", where = "Player/Game", why = "no game is at the time 0" }]
    partition_key = { name = "player", type = "number" }
    sort_key = { name = "at", type = "binary" }
    type_attribute = "type"
    [indexes.ByScore]
    kind = "local"
    sort_key = { name = "score", type = "number" }
    projection = ["nick"]
    [indexes.Bracket]
    partition_key = ["season", "region"]
    sort_key = ["round", "score"]
    projection = "keys-only"
    [entities.Player]
    keys = { player = "{id}", at = "{marker}" }
    attributes = { id = "number", marker = { type = "binary", constant = "AA==" }, nick = "string" }
    [entities.Game]
    keys = { player = "{playerId}" }
    [entities.Game.attributes]
    playerId = "number"
    at = "binary"
    score = { type = "number", optional = true }
    nick = "string"
    season = { type = "string", optional = true }
    region = { type = "string", optional = true }
    round = { type = "string", optional = true }
    [entities.Game.references.player]
    entity = "Player"
    by = { id = "playerId", marker = "zero" }
    keep = "latest"
    copies = { nick = "nick" }
"##;

#[tokio::test]
async fn numeric_binary_local_and_multi_attribute_keys_are_made_found_and_priced() {
    for engine in Engine::all().await.into_iter().filter(|engine| engine.can(Ability::MultiAttributeKeys)) {
        // The bracket's sort key has the score as a number too: one attribute has one type.
        let definition =
            GAMES.replace("[\"round\", \"score\"]", "[\"round\", { name = \"score\", type = \"number\" }]").replace(
                "nick = \"string\"\n    season",
                "nick = \"string\"\n    zero = { type = \"binary\", constant = \"AA==\" }\n    season",
            );
        let table = engine.table(&definition).await;
        table
            .load(
                r#"
                {"type":"Player","id":7,"nick":"Ann"}
                {"type":"Game","playerId":7,"at":"AQ==","score":900,"nick":"Ann","season":"s","region":"eu","round":"1"}
                {"type":"Game","playerId":7,"at":"Ag==","score":2800,"nick":"Ann","season":"s","region":"eu"}
                {"type":"Game","playerId":7,"at":"Aw==","nick":"Ann"}
                {"type":"Game","playerId":70,"at":"AQ==","score":1,"nick":"Ann"}
                "#,
            )
            .await;
        let plan = table.plan(table.request("Player", "id=7 marker=AA==", &[("nick", "Bea")], &[], &[])).await;
        assert_eq!(plan.totals.targets.found, 3, "{}", engine.name);
        // The nick is carried by the local index, in which two games and not the player are.
        assert_eq!(plan.totals.estimate.write_units.indexes["ByScore"].0, 2, "{}", engine.name);
        assert!(!plan.totals.estimate.write_units.indexes.contains_key("Bracket"), "{}", engine.name);
        run(&table, &plan).await;
    }
}
