//! Items that are taken as they are, and times that DynamoDB would never reach.

use std::collections::BTreeMap;

use singletable::item::{far_off_epochs, unread_update, update};
use singletable::model::AttributePath;
use singletable::{AttributeValue, Item, ItemBuilder, Layout};

const SALES: &str = r#"
    [table]
    name = "sales"
    partition_key = "PK"
    sort_key = "SK"
    type_attribute = "type"
    ttl_attribute = "exp"

    [entities.Sale]
    keys = { PK = "P#{postId}", SK = "SALE#{saleId}" }
    attributes = { postId = "string", saleId = "number", at = { type = "epoch", optional = true }, exp = { type = "epoch", optional = true } }
"#;
/// The last second of the year 2999, and the first of 3000.
const NEAR: &str = "32503679999";
const FAR: &str = "32503680000";

fn sales() -> Layout {
    let compiled = Layout::compile(SALES);
    compiled.layout.unwrap_or_else(|| panic!("{:#?}", compiled.diagnostics))
}

fn stored(fields: &str) -> Item {
    serde_json::from_str(fields).unwrap()
}

#[test]
fn an_item_whose_primary_key_contradicts_its_attributes_is_taken_and_warned_of() {
    let layout = sales();
    let cases = [
        (r##"{"type":{"S":"Sale"},"PK":{"S":"P#7"},"SK":{"S":"SALE#9"},"postId":{"S":"7"},"saleId":{"N":"9"}}"##, None),
        // What the key alone holds contradicts nothing.
        (r##"{"type":{"S":"Sale"},"PK":{"S":"P#7"},"SK":{"S":"SALE#9"}}"##, None),
        (
            r##"{"type":{"S":"Sale"},"PK":{"S":"P#7"},"SK":{"S":"SALE#000009"},"postId":{"S":"7"},"saleId":{"N":"9"}}"##,
            Some("`SK`"),
        ),
        (
            r##"{"type":{"S":"Sale"},"PK":{"S":"P#6"},"SK":{"S":"SALE#9"},"postId":{"S":"7"},"saleId":{"N":"9"}}"##,
            Some("`PK`"),
        ),
    ];
    for (item, contradicted) in cases {
        let item = stored(item);
        let told = layout.check_stored(&item).unwrap().differs;
        let told: Vec<_> = told.iter().filter(|what| what.contains("no key finds it")).collect();
        assert_eq!(told.len(), usize::from(contradicted.is_some()), "{item:?}: {told:?}");
        assert!(contradicted.is_none_or(|name| told[0].starts_with(name)), "{told:?}");
    }
}

#[test]
fn a_time_to_live_past_the_year_3000_is_refused_however_it_comes() {
    let layout = sales();
    let (sale, table) = (layout.entity("Sale").unwrap(), layout.table());
    let number = |text: &str| AttributeValue::N(text.parse().unwrap());
    for (value, is_refused) in [(NEAR, false), (FAR, true), ("1700000000", false), ("1700000000000", true)] {
        let built = ItemBuilder::new(&layout, sale).attribute("postId", "7").attribute("saleId", number("9"));
        let built = built.attribute("exp", number(value)).build();
        let item = stored(&format!(
            r##"{{"type":{{"S":"Sale"}},"PK":{{"S":"P#7"}},"SK":{{"S":"SALE#9"}},"exp":{{"N":"{value}"}}}}"##
        ));
        let taken = layout.check_stored(&item).map(drop);
        let before = stored(
            r##"{"type":{"S":"Sale"},"PK":{"S":"P#7"},"SK":{"S":"SALE#9"},"postId":{"S":"7"},"saleId":{"N":"9"}}"##,
        );
        let changes: BTreeMap<_, _> = [(AttributePath::top_level("exp"), Some(number(value)))].into();
        let updated = update(&before, sale, table, &changes).map(drop);
        let unread =
            unread_update(&before.key(&table.key), sale, table, &changes, &BTreeMap::new(), &BTreeMap::new()).map(drop);
        let problems = [
            built.err().map(|error| error.to_string()),
            taken.err().map(|error| error.to_string()),
            updated.err().map(|error| error.to_string()),
            unread.err().map(|error| error.to_string()),
        ];
        for (way, problem) in problems.iter().enumerate() {
            let is_told = problem.as_ref().is_some_and(|text| text.contains("`exp` is past the year 3000"));
            assert_eq!((problem.is_some(), is_told), (is_refused, is_refused), "{value}, way {way}: {problem:?}");
        }
    }
}

#[test]
fn another_epoch_past_the_year_3000_is_taken_and_warned_of() {
    let layout = sales();
    let (sale, table) = (layout.entity("Sale").unwrap(), layout.table());
    for (value, warnings) in [(NEAR, 0), (FAR, 1)] {
        let item = ItemBuilder::new(&layout, sale)
            .attribute("postId", "7")
            .attribute("saleId", AttributeValue::N(9u64.into()));
        let item = item.attribute("at", AttributeValue::N(value.parse().unwrap())).build().unwrap();
        assert_eq!(far_off_epochs(&item.0, sale, table).len(), warnings, "{value}");
        assert_eq!(layout.check_stored(&item).unwrap().differs.len(), warnings, "{value}");
    }
}
