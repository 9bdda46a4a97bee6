//! `definition.schema.json`: what the program prints, for an editor. It takes what the compiler takes, refuses what
//! the compiler refuses for its shape, and both know the same keys.
//!
//! `SNAPSHOTS=overwrite cargo test --features cli --test definition_schema` writes the file anew.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use singletable::Layout;
use singletable::diagnostic::Diagnostic;

/// A definition that has every kind of section, each under a header of its own.
const EVERY_SECTION: &str = include_str!("every-section.toml");

/// The keys of a type's table whose value has one form whatever the type is, with such a value.
const BOUNDS: [(&str, &str); 14] = [
    ("optional", "true"),
    ("changes", "\"2 per month\""),
    ("default", "1"),
    ("constant", "1"),
    ("stored_as", "\"p\""),
    ("stored", "\"key\""),
    ("max_bytes", "10"),
    ("max_items", "10"),
    ("of", "\"string\""),
    ("attributes", "{ city = \"string\" }"),
    ("starts_with", "\"a\""),
    ("excludes", "\"#\""),
    ("length", "10"),
    ("precision", "\"seconds\""),
];

/// Similar to no key, type or word, so that a message lists all of them.
const UNKNOWN: &str = "zzzzzzzz";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn printed() -> String {
    let empty = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_singletable"))
        .args(["export", "definition-schema"])
        .current_dir(empty.path())
        .env_remove("SINGLETABLE_DEFINITION")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The schema, and what holds definitions against it.
struct Checked {
    schema: Value,
    validator: jsonschema::Validator,
}

impl Checked {
    fn printed() -> Self {
        let schema: Value = serde_json::from_str(&printed()).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        Checked { schema, validator }
    }

    /// Why the schema refuses a definition; nothing, where it takes it.
    fn refusals(&self, definition: &str) -> Vec<String> {
        let definition: Value = toml::from_str(definition).unwrap();
        self.validator.iter_errors(&definition).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// The keys of the tables that may stand at a place, where the schema lists them.
    fn keys_at(&self, place: &[&str]) -> BTreeSet<String> {
        let schemas = self.schemas_at(place);
        let closed = schemas.iter().filter(|schema| schema["additionalProperties"] == Value::Bool(false));
        closed.flat_map(|table| table["properties"].as_object().unwrap().keys().cloned()).collect()
    }

    /// The words that may stand at a place, where the schema lists them.
    fn words_at(&self, place: &[&str]) -> BTreeSet<String> {
        let schemas = self.schemas_at(place);
        let words = schemas.iter().filter_map(|schema| schema["enum"].as_array()).flatten();
        words.map(|word| word.as_str().unwrap().to_owned()).collect()
    }

    fn schemas_at(&self, place: &[&str]) -> Vec<&Value> {
        let mut schemas = self.alternatives(&self.schema);
        for step in place {
            let below = schemas
                .into_iter()
                .filter_map(|table| table["properties"].get(*step).or_else(|| table.get("additionalProperties")));
            schemas = below.flat_map(|schema| self.alternatives(schema)).collect();
        }
        schemas
    }

    /// All that a schema comes to: through references, alternatives and the elements of lists.
    fn alternatives<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.alternatives(self.schema.pointer(reference.strip_prefix('#').unwrap()).unwrap());
        }
        if let Some(choices) = schema["anyOf"].as_array() {
            return choices.iter().flat_map(|choice| self.alternatives(choice)).collect();
        }
        match schema.get("items") {
            Some(items) => self.alternatives(items),
            None => vec![schema],
        }
    }
}

fn errors(definition: &str) -> Vec<Diagnostic> {
    Layout::compile(definition).diagnostics.into_iter().filter(Diagnostic::is_error).collect()
}

/// The keys that the compiler says a section takes, asked with one that no section has.
fn keys_of_compiler(definition: &str) -> BTreeSet<String> {
    let found = errors(definition);
    let mut unknown = found.iter().filter(|one| one.code == "definition.unknown-key" && one.message.contains(UNKNOWN));
    let (Some(one), None) = (unknown.next(), unknown.next()) else { panic!("{found:#?}\n{definition}") };
    quoted(one.help.as_deref().unwrap().strip_prefix("it takes ").unwrap(), '`')
}

/// The words that the compiler says could stand where the definition has one that could not.
fn words_of_compiler(definition: &str) -> BTreeSet<String> {
    const CODES: [&str; 4] =
        ["definition.wrong-type", "key.unknown-type", "attribute.unknown-type", "attribute.unknown-precision"];
    let found = errors(definition);
    let Some(one) = found.iter().find(|one| CODES.contains(&one.code)) else { panic!("{found:#?}\n{definition}") };
    match one.message.split_once(" must be ") {
        Some((_, words)) => quoted(words, '"'),
        None => quoted(one.help.as_deref().unwrap(), '`'),
    }
}

fn quoted(text: &str, quote: char) -> BTreeSet<String> {
    text.split(quote).skip(1).step_by(2).map(str::to_owned).collect()
}

/// The steps that lead to a header's section.
fn place_of(header: &str) -> Vec<&str> {
    header.trim_matches(['[', ']']).split('.').filter(|step| !step.is_empty()).collect()
}

/// The definition with another line below a header; at the top, where there is none.
fn with_line(header: &str, line: &str) -> String {
    match header {
        "" => format!("{line}\n{EVERY_SECTION}"),
        _ => {
            assert_eq!(EVERY_SECTION.matches(&format!("\n{header}\n")).count(), 1, "{header}");
            EVERY_SECTION.replace(&format!("\n{header}\n"), &format!("\n{header}\n{line}\n"))
        }
    }
}

fn files_in(folder: &str) -> Vec<PathBuf> {
    std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Every definition of the repository that is TOML, right and wrong, and where it stands.
fn definitions() -> Vec<(String, String)> {
    let mut files = files_in("tables");
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.push(root().join("tests/blog/blog.toml"));
    for folder in ["tests/compile", "tests/models", "tests/plan"] {
        let tables = files_in(folder).into_iter().map(|case| case.join("table.toml"));
        files.extend(tables.filter(|file| file.exists()));
    }
    let mut found: Vec<(String, String)> =
        files.iter().map(|file| (file.display().to_string(), std::fs::read_to_string(file).unwrap())).collect();
    for page in singletable::explain::PAGES {
        let examples = page.examples().into_iter().enumerate();
        found.extend(examples.map(|(at, text)| (format!("{}, example {}", page.code, at + 1), text.to_owned())));
    }
    found.retain(|(_, text)| toml::from_str::<Value>(text).is_ok());
    assert!(found.len() > 200, "{}", found.len());
    found
}

#[test]
fn the_committed_schema_is_what_the_program_prints_without_a_definition() {
    let file = root().join("definition.schema.json");
    let printed = printed();
    if std::env::var("SNAPSHOTS").is_ok_and(|what| what == "overwrite") {
        std::fs::write(&file, &printed).unwrap();
    }
    snapbox::Assert::new().eq(snapbox::Data::text(printed), snapbox::Data::read_from(&file, None).raw());
}

#[test]
fn it_is_a_schema_of_draft_2020_12_that_says_what_every_key_means() {
    let Checked { schema, .. } = Checked::printed();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    jsonschema::meta::validate(&schema).unwrap();
    let definitions = schema["$defs"].as_object().unwrap().iter().map(|(name, one)| (name.as_str(), one));
    for (name, one) in definitions.chain([("the definition", &schema)]) {
        for (key, property) in one["properties"].as_object().into_iter().flatten() {
            assert!(property["description"].as_str().is_some_and(|text| text.ends_with('.')), "{key} of {name}");
        }
    }
}

#[test]
fn a_definition_that_compiles_fits_the_schema() {
    let checked = Checked::printed();
    for (name, text) in definitions() {
        if errors(&text).is_empty() {
            assert_eq!(checked.refusals(&text), [""; 0], "{name}");
        }
    }
}

#[test]
fn a_definition_that_the_compiler_refuses_for_its_shape_does_not_fit() {
    let checked = Checked::printed();
    let mut count = 0;
    for (name, text) in definitions() {
        if errors(&text).iter().any(|one| one.code.starts_with("definition.")) {
            assert_ne!(checked.refusals(&text), [""; 0], "{name}");
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
}

#[test]
fn mistakes_of_shape_are_refused_by_both() {
    let checked = Checked::printed();
    let mistakes = [
        ("name = \"blog\"", "name = \"my blog\""),
        ("name = \"blog\"", ""),
        ("read = 5", "read = 0"),
        ("read = 5", ""),
        ("name = \"blog\"", "name = \"blog\"\nstreams = \"all\""),
        ("name = \"blog\"", "name = \"blog\"\naccounts = [\"1234\"]"),
        ("name = \"blog\"", "name = \"blog\"\nregions = [\"Ireland\"]"),
        ("name = \"blog\"", "name = \"blog\"\ndeletion_protection = \"yes\""),
        ("why = \"the table is older than this file\"", ""),
        ("[types.Address]", "[types.string]"),
        ("projection = \"all\"", "projection = \"everything\""),
        ("projection = \"all\"", ""),
        ("partition_key = \"GSI1PK\"", ""),
        ("partition_key = \"GSI1PK\"", "partition_key = [\"A\", \"B\", \"C\", \"D\", \"E\"]"),
        ("[indexes.ByScore.sort_key]\nname = \"score\"\ntype = \"number\"", ""),
        ("type = \"number\"", "type = \"boolean\""),
        ("kind = \"local\"", "kind = \"regional\""),
        ("PK = \"POST#{id}\"", "PK = 1"),
        ("template = \"{status}#{id}\"", ""),
        ("title = \"string\"", "title = 1"),
        ("title = \"string\"", "title = { max_bytes = 10 }"),
        ("title = \"string\"", "title = { type = \"string\", optional = \"yes\" }"),
        ("title = \"string\"", "title = { type = \"string\", stored = \"nowhere\" }"),
        ("title = \"string\"", "title = { type = \"string\", values = [] }"),
        ("title = \"string\"", "title = { type = \"string\", values = [1] }"),
        ("title = \"string\"", "title = { type = \"string\", excludes = \"\" }"),
        ("title = \"string\"", "title = { type = \"number\", values = { low = \"1\" } }"),
        ("title = \"string\"", "title = { type = \"timestamp\", precision = \"days\" }"),
        ("title = \"string\"", "title = { type = \"list\", max_items = 0 }"),
        ("title = \"string\"", "title = { type = \"map\", attributes = { a = \"string\" }, of = \"string\" }"),
        ("title = \"string\"", "title = { type = \"list\", of = { type = \"string\", optional = true } }"),
        ("keep = \"latest\"", "keep = \"newest\""),
        ("keep = \"latest\"", ""),
        ("by = { id = \"authorId\" }\n", ""),
        ("via = \"scan\"", "within = \"coAuthors\""),
    ];
    assert_eq!(errors(EVERY_SECTION), []);
    assert_eq!(checked.refusals(EVERY_SECTION), [""; 0]);
    for (right, wrong) in mistakes {
        assert!(EVERY_SECTION.contains(right), "{right}");
        let text = EVERY_SECTION.replacen(right, wrong, 1);
        assert_ne!(errors(&text), [], "the compiler takes {wrong} for {right}");
        assert_ne!(checked.refusals(&text), [""; 0], "the schema takes {wrong} for {right}");
    }
}

#[test]
fn every_section_has_the_keys_that_the_compiler_takes_and_no_other() {
    let checked = Checked::printed();
    for header in [
        "",
        "[table]",
        "[table.partition_key]",
        "[table.billing]",
        "[[table.allow]]",
        "[indexes.ByTime]",
        "[[indexes.ByTime.sort_key]]",
        "[indexes.ByScore]",
        "[indexes.ByScore.sort_key]",
        "[entities.Post]",
        "[[entities.Post.keys.GSI1SK]]",
        "[entities.Comment.references.author]",
    ] {
        let text = with_line(header, &format!("{UNKNOWN} = 1"));
        assert_eq!(checked.keys_at(&place_of(header)), keys_of_compiler(&text), "{header}");
        assert_ne!(checked.refusals(&text), [""; 0], "{header}");
    }
}

#[test]
fn every_word_that_the_compiler_takes_is_listed_and_no_other() {
    let checked = Checked::printed();
    for (header, key, instead_of) in [
        ("[table]", "streams", ""),
        ("[table]", "class", ""),
        ("[table]", "unknown_attributes", ""),
        ("[table]", "billing", "\n[table.billing]\nread = 5\nwrite = 5\n"),
        ("[indexes.ByTime]", "projection", "projection = \"all\"\n"),
        ("[indexes.ByScore.sort_key]", "type", "type = \"number\"\n"),
        ("[entities.Post.attributes.body]", "stored", ""),
        ("[entities.Post.attributes.publishedAt]", "precision", ""),
        ("[entities.Comment.references.author]", "keep", "keep = \"latest\"\n"),
    ] {
        let text = with_line(header, &format!("{key} = \"{UNKNOWN}\"")).replacen(instead_of, "", 1);
        let place = [place_of(header), vec![key]].concat();
        assert_eq!(checked.words_at(&place), words_of_compiler(&text), "{key} in {header}");
    }
}

/// The built-in types, and the one that the definition with every section adds to them.
fn types() -> BTreeSet<String> {
    words_of_compiler(&with_line("[entities.Post.attributes]", &format!("probe = \"{UNKNOWN}\"")))
}

/// A value that the key could have in a table of that type.
fn value_for(key: &str, kind: &str) -> String {
    match (key, kind) {
        ("values", "number") => "[1]".to_owned(),
        ("values", _) => "[\"a\"]".to_owned(),
        ("type", kind) => format!("\"{kind}\""),
        _ => BOUNDS.iter().find(|(name, _)| *name == key).unwrap().1.to_owned(),
    }
}

#[test]
fn every_type_has_the_keys_that_the_compiler_takes_and_no_other() {
    let checked = Checked::printed();
    for header in
        ["[entities.Post.attributes.probe]", "[entities.Post.attributes.body.of.attributes.probe]", "[types.Probe]"]
    {
        let mut of_all_types = BTreeSet::new();
        let known = checked.keys_at(&place_of(header));
        for kind in &types() {
            let probe = |line: &str| {
                let text = match header {
                    // A map's fields stand inline in the definition above, and TOML does not add to what is inline.
                    "[entities.Post.attributes.body.of.attributes.probe]" => {
                        EVERY_SECTION.replace("attributes = { text = { type = \"string\", optional = true } }", "")
                    }
                    _ => EVERY_SECTION.to_owned(),
                };
                format!("{text}\n{header}\n{line}\n")
            };
            let kind_line = format!("type = \"{kind}\"");
            let taken = keys_of_compiler(&probe(&format!("{kind_line}\n{UNKNOWN} = 1")));
            for key in &known {
                let line = format!("{key} = {}", value_for(key, kind));
                let lines = if key == "type" { line } else { format!("{kind_line}\n{line}") };
                let refusals = checked.refusals(&probe(&lines));
                assert_eq!(refusals.is_empty(), taken.contains(key), "{header} {key} of {kind}: {refusals:?}");
            }
            of_all_types.extend(taken);
        }
        assert_eq!(known, of_all_types, "{header}");
    }
}
