//! Which table a command is about to write to.

use crate::client::{Difference, ExistingTable};

/// Where a write goes, and who else hears of it: endpoint, account and region, table, stream, replicas.
pub(in crate::cli) fn announce(table: &ExistingTable) -> String {
    let identity = &table.identity;
    let mut text = format!("table {} at {}", identity.name, identity.endpoint);
    // arn:aws:dynamodb:REGION:ACCOUNT:table/NAME
    if let [_, _, _, region, account, ..] =
        identity.arn.as_deref().unwrap_or_default().split(':').collect::<Vec<_>>()[..]
    {
        text.push_str(&format!(", account {account}, region {region}"));
    }
    text.push_str(&format!(", stream {}", if table.has_stream { "on" } else { "off" }));
    match table.replicas.as_slice() {
        [] => text.push_str(", no replicas"),
        regions => text.push_str(&format!(
            ", replicas in {}: what this run guarantees holds in its own region only",
            regions.join(", ")
        )),
    }
    text
}

/// How an existing table differs from the definition.
pub(in crate::cli) fn differences(differences: &[Difference]) -> String {
    let heading = ["".to_owned(), "definition".to_owned(), "table".to_owned()].to_vec();
    let row = |one: &Difference| vec![one.what.clone(), one.definition.clone(), one.table.clone()];
    let rows: Vec<Vec<String>> = std::iter::once(heading).chain(differences.iter().map(row)).collect();
    super::columns::align(&rows, false, "  ")
}
