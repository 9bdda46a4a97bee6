//! What each diagnostic means: why it matters in DynamoDB, an example, and the cure.
//!
//! A page is one Markdown file here, and one line below. Its first TOML block gives the diagnostic, and its second is
//! the same definition cured.

macro_rules! pages {
    ($($code:literal,)*) => {
        &[$(Page { code: $code, text: include_str!(concat!($code, ".md")) },)*]
    };
}

/// What a diagnostic means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// The diagnostic's code.
    pub code: &'static str,
    /// The page, in Markdown.
    pub text: &'static str,
}

/// Every page, by code.
pub const PAGES: &[Page] = pages![
    "attribute.default-and-constant",
    "attribute.impossible-value",
    "attribute.invalid-name",
    "attribute.key-only",
    "attribute.no-values",
    "attribute.same-place",
    "attribute.too-deep",
    "attribute.unbounded",
    "attribute.unknown-precision",
    "attribute.unknown-type",
    "attribute.value-twice",
    "attribute.wrong-value",
    "copy.in-primary-key",
    "copy.invalid-filter",
    "copy.is-the-reference",
    "copy.may-be-missed",
    "copy.may-not-fit",
    "copy.of-a-copy",
    "copy.unknown-attribute",
    "copy.unreachable",
    "copy.written-twice",
    "copy.wrong-type",
    "definition.missing-key",
    "definition.unknown-key",
    "definition.wrong-type",
    "entity.half-index-key",
    "entity.invalid-name",
    "entity.key-and-attribute",
    "entity.missing-key",
    "entity.none",
    "entity.same-type-value",
    "entity.too-large",
    "entity.ttl-type",
    "entity.type-attribute",
    "entity.unknown-key-attribute",
    "entity.version-type",
    "index.invalid-name",
    "index.key-projected",
    "index.local-needs-sort-key",
    "index.local-partition-key",
    "index.projected-elsewhere",
    "index.projected-twice",
    "index.too-many",
    "index.too-many-local",
    "index.too-many-projected",
    "index.unused",
    "key-template.adjacent-placeholders",
    "key-template.empty",
    "key-template.not-of-key-type",
    "key-template.optional-in-primary-key",
    "key-template.syntax",
    "key-template.too-long",
    "key-template.too-many-shards",
    "key-template.unknown-attribute",
    "key-template.unknown-filter",
    "key-template.unpadded-number",
    "key-template.wrong-type",
    "key.choice-unreachable",
    "key.conflicting-types",
    "key.invalid-name",
    "key.optional-in-primary-key",
    "key.same-attribute-twice",
    "key.several-attributes",
    "key.too-many-attributes",
    "key.unknown-type",
    "key.when-in-primary-key",
    "key.when-unknown-attribute",
    "key.when-wrong-value",
    "key.wrong-type",
    "layout.collision",
    "layout.prefix-mix-up",
    "reference.incomplete-key",
    "reference.invalid-link",
    "reference.invalid-via",
    "reference.invalid-within",
    "reference.keep-missing",
    "reference.not-key",
    "reference.unknown-attribute",
    "reference.unknown-entity",
    "reference.version-as",
    "reference.wrong-type",
    "table.allow-unused",
    "table.invalid-account",
    "table.invalid-attribute",
    "table.invalid-name",
    "table.invalid-region",
    "toml.syntax",
    "type.circular",
    "type.shadows",
];

/// The page of a code.
///
/// ```
/// let page = singletable::explain::page("key-template.empty").expect("it is a code");
/// assert!(page.text.starts_with("# key-template.empty"));
/// ```
pub fn page(code: &str) -> Option<&'static Page> {
    PAGES.iter().find(|page| page.code == code)
}

impl Page {
    /// What it says first.
    pub fn first_sentence(&self) -> String {
        let paragraph = self.text.split("\n\n").nth(1).unwrap_or_default().replace('\n', " ");
        paragraph.split_once(". ").map_or(paragraph.clone(), |(first, _)| format!("{first}."))
    }

    /// Its TOML blocks: the definition that gives the diagnostic, and the same one cured.
    pub fn examples(&self) -> Vec<&'static str> {
        self.text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn the_first_example_of_each_page_gives_its_code_and_the_second_is_cured() {
        for page in PAGES {
            let [wrong, right] = page.examples()[..] else { panic!("{} has two examples", page.code) };
            assert!(page.text.starts_with(&format!("# {}\n", page.code)), "{}", page.code);
            let found = Layout::compile(wrong).diagnostics;
            assert!(found.iter().any(|one| one.code == page.code), "{}: {found:#?}", page.code);
            let cured = Layout::compile(right);
            assert!(cured.layout.is_some(), "{}: {:#?}", page.code, cured.diagnostics);
            assert!(cured.diagnostics.iter().all(|one| one.code != page.code), "{}: not cured", page.code);
        }
    }

    #[test]
    fn every_page_stands_in_the_list_in_order() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/explain");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> = names.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect();
        files.sort();
        assert_eq!(files, PAGES.iter().map(|page| page.code).collect::<Vec<_>>());
    }
}
