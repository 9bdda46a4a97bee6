//! Faults that users of other tools reported: each kind of them is tried on this crate.
//!
//! Reports are known by their ids: K is for keys, T for types, Z for sizes, C for conditions, D for tables, W for what
//! writes cost, X for transactions. Those with
//! even numbers are kept aside by their collectors.

#![expect(clippy::unwrap_used, reason = "a test's panic is its report")]

mod condition;
mod cost;
mod engine;
mod far_off;
mod key_values;
mod key_writes;
mod size;
mod table;
mod transaction;
mod types;
mod types_kept;

use std::collections::BTreeMap;

use singletable::item::Attributes;
use singletable::model::{AttributePath, Entity};
use singletable::value::PlainJson;
use singletable::{AttributeValue, Item, ItemBuilder, ItemError, Layout};

/// Each report, and the test of its kind: its file, and its name.
const REPORTS: [(&str, &str, &str); 65] = [
    ("K01", "key_writes", "an_item_is_created_with_the_index_keys_that_its_primary_key_alone_makes"),
    ("K03", "key_writes", "an_update_of_one_part_of_an_index_key_is_guarded_by_the_parts_that_it_was_told"),
    ("K05", "key_writes", "an_update_writes_index_keys_byte_for_byte_as_creation_does"),
    ("K07", "key_writes", "keys_keep_the_case_and_the_spaces_of_their_values"),
    ("K09", "key_writes", "numbers_in_text_that_sorts_are_padded_or_warned_of"),
    ("K11", "key_writes", "no_text_of_a_template_ever_reaches_a_key"),
    ("K13", "key_writes", "the_constant_part_of_a_key_alone_puts_no_item_into_an_index"),
    ("K15", "key_writes", "an_update_writes_index_keys_byte_for_byte_as_creation_does"),
    ("K17", "key_writes", "membership_is_judged_on_the_new_value_while_the_guard_holds_the_old_one"),
    ("K19", "key_writes", "a_prefix_keeps_the_separator_that_it_ends_in"),
    ("K21", "key_values", "a_separator_inside_a_value_never_makes_two_items_share_a_key"),
    ("K23", "key_values", "a_time_with_an_offset_is_one_moment_when_written_and_when_looked_for"),
    ("K25", "key_values", "a_null_never_reaches_an_index_key"),
    ("K27", "key_values", "texts_are_ordered_by_their_utf8_bytes"),
    ("K29", "key_values", "a_renamed_attribute_is_written_under_its_stored_name_only"),
    ("K31", "key_values", "a_filter_is_applied_wherever_the_key_is_made"),
    ("K33", "key_values", "a_key_is_measured_in_bytes_before_it_is_sent"),
    ("K35", "key_values", "an_entity_without_a_part_of_the_primary_key_is_refused"),
    ("T01", "types", "integers_of_128_bits_keep_38_digits_and_more_are_refused_where_they_stand"),
    ("T03", "types", "every_digit_survives_every_way_in_and_out"),
    ("T05", "types", "only_significant_digits_count_towards_the_limit"),
    ("T07", "types", "numbers_have_one_normal_form_and_dynamodbs_limits"),
    ("T09", "types", "a_float_that_is_no_number_is_refused_where_it_stands"),
    ("T11", "types", "a_float_is_stored_as_its_shortest_decimal_however_large"),
    ("T13", "types", "bytes_are_binary_wherever_binary_is_declared"),
    ("T15", "types", "binary_sets_keep_their_members"),
    ("T17", "types", "a_null_is_treated_alike_at_every_depth"),
    ("T19", "types_kept", "what_is_empty_keeps_its_type"),
    ("T21", "types_kept", "what_a_change_does_not_touch_stays_as_it_is"),
    ("T23", "types_kept", "dates_are_written_alike_at_every_depth"),
    ("T25", "types_kept", "what_is_empty_keeps_its_type"),
    ("T27", "types_kept", "plain_json_inside_dynamodb_json_is_refused_where_it_stands"),
    ("T29", "types_kept", "an_enum_of_tag_and_content_is_written_and_read_through_serde"),
    ("Z01", "size", "binary_weighs_its_bytes_and_not_its_text"),
    ("Z03", "size", "names_and_values_are_summed_before_they_are_held_against_the_limit"),
    ("Z05", "size", "the_overhead_of_storage_counts_towards_no_limit_and_no_unit"),
    ("Z07", "size", "a_number_weighs_by_its_digits_and_not_by_its_zeros"),
    ("Z09", "size", "an_update_that_the_service_refuses_for_its_size_fails_alone"),
    ("Z11", "size", "an_item_too_large_says_by_how_much_and_what_weighs_most_before_any_request"),
    ("C01", "condition", "no_name_stands_in_an_expression_itself"),
    ("C03", "condition", "a_field_is_updated_whatever_its_name_is"),
    ("C05", "condition", "a_member_of_a_missing_map_is_that_items_matter_and_the_run_goes_on"),
    ("C07", "condition", "changes_of_which_one_is_inside_the_other_are_one_write"),
    ("C09", "condition", "a_refused_guard_tells_done_changed_and_deleted_apart_by_the_item_that_it_brings"),
    ("C11", "condition", "what_was_deleted_meanwhile_counts_as_gone_and_is_not_made_again"),
    ("C13", "condition", "changes_of_which_one_is_inside_the_other_are_one_write"),
    ("C15", "condition", "an_item_with_too_many_copies_for_one_expression_takes_several_writes"),
    ("C17", "condition", "an_update_and_its_condition_share_placeholders_and_name_none_in_vain"),
    ("C19", "condition", "elements_are_changed_where_they_refer_and_guarded_against_a_shift"),
    ("C21", "condition", "an_update_that_only_removes_creates_no_item"),
    ("C23", "condition", "only_a_failed_condition_is_told_as_one"),
    ("C25", "condition", "a_version_goes_up_or_is_left_and_never_begins_anew"),
    ("D01", "table", "a_table_with_other_indexes_is_described_and_never_altered"),
    ("D03", "table", "key_attributes_alone_are_defined_each_once"),
    ("D05", "table", "an_index_may_do_without_a_sort_key"),
    ("D07", "table", "an_index_that_no_entity_is_in_is_warned_of"),
    ("W01", "cost", "each_index_that_an_item_joins_is_counted_whatever_an_engine_reports"),
    ("W03", "cost", "a_key_that_moves_is_deleted_and_inserted_and_each_is_rounded_by_itself"),
    ("W05", "cost", "deleting_what_is_missing_takes_one_unit"),
    ("W07", "cost", "a_write_takes_what_the_larger_image_takes"),
    ("W09", "cost", "a_million_copies_have_a_price_before_they_are_written"),
    ("W11", "cost", "a_refused_write_is_in_the_worst_case_by_the_larger_of_what_stands_and_what_was_meant"),
    ("X01", "transaction", "a_hundred_actions_are_one_transaction_and_more_are_refused_with_advice"),
    ("X03", "transaction", "what_is_empty_or_names_an_item_twice_is_refused_before_the_call"),
    ("X05", "transaction", "few_items_may_be_too_much_together"),
];

#[test]
fn every_report_has_its_test() {
    let sources = BTreeMap::from([
        ("key_values", include_str!("key_values.rs")),
        ("key_writes", include_str!("key_writes.rs")),
        ("types", include_str!("types.rs")),
        ("types_kept", include_str!("types_kept.rs")),
        ("size", include_str!("size.rs")),
        ("condition", include_str!("condition.rs")),
        ("table", include_str!("table.rs")),
        ("cost", include_str!("cost.rs")),
        ("transaction", include_str!("transaction.rs")),
    ]);
    let listed: Vec<String> = REPORTS.iter().map(|(id, ..)| (*id).to_owned()).collect();
    let last = [('K', 35), ('T', 29), ('Z', 11), ('C', 25), ('D', 7), ('W', 11), ('X', 5)];
    let known: Vec<String> = last
        .into_iter()
        .flat_map(|(kind, last)| (1..=last).step_by(2).map(move |number| format!("{kind}{number:02}")))
        .collect();
    assert_eq!(listed, known);
    for (id, file, test) in REPORTS {
        assert!(sources[file].contains(&format!("fn {test}()")), "{id}: there is no {test} in {file}.rs");
    }
}

/// A definition that has no errors.
fn layout(definition: &str) -> Layout {
    let compiled = Layout::compile(definition);
    compiled.layout.unwrap_or_else(|| panic!("{:#?}\n{definition}", compiled.diagnostics))
}

/// The codes of what there is to say of a definition.
fn codes(definition: &str) -> Vec<&'static str> {
    Layout::compile(definition).diagnostics.iter().map(|problem| problem.code).collect()
}

/// The definition of one entity, `One`, in a table with one index: `PK = "ONE#{id}"`, and an attribute `id`.
fn one(index_keys: &str, attributes: &str) -> String {
    format!(
        r##"
        [table]
        name = "one"
        partition_key = "PK"
        sort_key = "SK"
        [indexes.GSI1]
        partition_key = "GSI1PK"
        sort_key = "GSI1SK"
        projection = "all"
        [entities.One]
        keys = {{ PK = "ONE#{{id}}", SK = "META", {index_keys} }}
        [entities.One.attributes]
        id = "string"
        {attributes}
        "##
    )
}

/// The first entity of a layout.
fn first(layout: &Layout) -> &Entity {
    &layout.entities()[0]
}

/// An object of plain JSON.
fn plain(json: &str) -> Attributes {
    match serde_json::from_str(json).unwrap() {
        PlainJson(AttributeValue::M(fields)) => fields,
        PlainJson(other) => panic!("{other:?}"),
    }
}

/// An item of the first entity, from plain JSON.
fn build(layout: &Layout, json: &str) -> Result<Item, ItemError> {
    ItemBuilder::new(layout, first(layout)).attributes(plain(json)).build()
}

/// The primary key of an item of the first entity, from plain JSON.
fn key(layout: &Layout, json: &str) -> Item {
    ItemBuilder::new(layout, first(layout)).attributes(plain(json)).build_key().unwrap()
}

/// The text of an attribute, where it is there.
fn text<'i>(item: &'i Item, name: &str) -> Option<&'i str> {
    item.get(name).map(|value| value.as_str().unwrap())
}

/// A path, from its steps: `["address", "city"]`, `["tags", 0]`.
fn path(steps: &str) -> AttributePath {
    serde_json::from_str(steps).unwrap()
}

type Changes = BTreeMap<AttributePath, Option<AttributeValue>>;

/// What is set and removed: dotted names, and plain JSON; an empty text takes the value away.
fn changes(pairs: &[(&str, &str)]) -> Changes {
    let dotted = |name: &str| path(&serde_json::to_string(&name.split('.').collect::<Vec<_>>()).unwrap());
    let value = |json: &str| (!json.is_empty()).then(|| serde_json::from_str::<PlainJson>(json).unwrap().0);
    pairs.iter().map(|(name, json)| (dotted(name), value(json))).collect()
}
