//! `[entities.NAME.references.NAME]`

use std::collections::BTreeMap;

use schemars::JsonSchema;

/// A reference to one item of another entity, its source, and the copies that are carried of the source's values.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, extend("dependentRequired" = { "copies": ["keep"] }))]
pub(super) struct Reference {
    /// The source's entity.
    #[schemars(extend("examples" = ["Author"]))]
    entity: String,
    /// Which source is meant. Each attribute that makes the source's primary key = the attribute here that holds it:
    /// `{ id = "authorId" }`.
    by: BTreeMap<String, String>,
    /// What becomes of the copies when the source changes. It must be said wherever there are copies.
    keep: Option<Keep>,
    /// The attributes here that are copies = the source's attributes: `{ authorName = "name" }`. Paths may stand on both
    /// sides: `"byline.name" = "name"`. `take N`, `lower` and `upper` change a text on its way:
    /// `excerpt = "body|take 50"`.
    copies: Option<BTreeMap<String, String>>,
    /// Who answers for bringing the copies up to date.
    #[schemars(extend("examples" = ["profile service"]))]
    owner: Option<String>,
    /// How the items that copy from one source are found. Left out, it is inferred where it can be; `layout` shows it.
    via: Option<Via>,
    /// The list whose elements refer, each for itself: `"coAuthors[]"`, or `"comments[].author"` for a map inside each
    /// element. `by` and `copies` are then paths inside it; in `by`, a path that begins with `/` starts at the item:
    /// `{ tenantId = "/tenantId", id = "id" }`.
    #[schemars(regex(pattern = r"^[^\[\]]*\[\]"), extend("examples" = ["coAuthors[]", "comments[].author"]))]
    within: Option<String>,
    /// The number attribute here that holds the source's `version` that the copies are of.
    #[schemars(extend("examples" = ["authorRev"]))]
    version_as: Option<String>,
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum Keep {
    /// A fan-out brings the copies up to date whenever the source changes.
    Latest,
    /// The copies stay as they were when they were taken.
    Snapshot,
}

#[derive(JsonSchema)]
#[schemars(inline, untagged)]
enum Via {
    Word(ViaWord),
    /// The name of an index whose partition key tells the source; or `link:ENTITY`, an entity whose items refer both to
    /// the source and to the items with the copies.
    Name(String),
}

#[derive(JsonSchema)]
#[schemars(inline, rename_all = "kebab-case")]
enum ViaWord {
    /// The table's own partition, where it is made from the reference.
    Table,
    /// One read, where the whole key is made from the reference.
    Get,
    /// The whole table is read: the last resort.
    Scan,
}
