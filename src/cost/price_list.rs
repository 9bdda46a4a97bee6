//! AWS's own price list, as its GetProducts tells it: each product is a JSON document in a string.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Price, PriceTable, Usd};
use crate::model::TableClass;

/// The prices of one region and class, with the date of each.
type Units = BTreeMap<Unit, (Usd, Option<String>)>;
/// A region, and whether it is the class for infrequent access.
type Place = (String, bool);

/// Which unit a product is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Write,
    Read,
}

/// What is read of a product.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Product {
    product: Described,
    #[serde(default)]
    terms: BTreeMap<String, BTreeMap<String, Term>>,
    publication_date: Option<String>,
}

#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    attributes: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Term {
    #[serde(default)]
    price_dimensions: BTreeMap<String, Dimension>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Dimension {
    #[serde(default)]
    price_per_unit: BTreeMap<String, String>,
}

impl PriceTable {
    /// The on-demand prices among the products of a price list; a region lacks one where the list does.
    ///
    /// # Errors
    /// A product is none that can be read.
    pub fn from_price_list<'a>(products: impl IntoIterator<Item = &'a str>) -> Result<Self, serde_json::Error> {
        let mut found: BTreeMap<Place, Units> = BTreeMap::new();
        for text in products {
            let product: Product = serde_json::from_str(text)?;
            let attribute = |name: &str| product.product.attributes.get(name).and_then(Value::as_str);
            let (Some(usage), Some(region)) = (attribute("usagetype"), attribute("regionCode")) else { continue };
            let (Some((unit, is_infrequent)), Some(usd)) = (unit(usage), per_unit(&product)) else { continue };
            let date =
                product.publication_date.as_deref().map(|date| date.split('T').next().unwrap_or(date).to_owned());
            found.entry((region.to_owned(), is_infrequent)).or_default().insert(unit, (usd, date));
        }
        let price = |((region, is_infrequent), units): (Place, Units)| {
            let (write, date) = units.get(&Unit::Write)?.clone();
            let (read, _) = units.get(&Unit::Read)?.clone();
            Some(Price {
                region,
                table_class: match is_infrequent {
                    true => TableClass::StandardInfrequentAccess,
                    false => TableClass::Standard,
                },
                write_million: write.scaled(1_000_000, 1),
                read_million: read.scaled(1_000_000, 1),
                as_of: date,
                source: Some("the price list API, GetProducts".to_owned()),
            })
        };
        Ok(PriceTable::of(found.into_iter().filter_map(price).collect()))
    }
}

/// `WriteRequestUnits`, `EU-WriteRequestUnits`, `EU-IA-ReadRequestUnits`. Replicated writes and everything else that ends
/// alike are something else, so that the whole name must match.
fn unit(usage: &str) -> Option<(Unit, bool)> {
    let parts: Vec<&str> = usage.split('-').collect();
    let (last, before) = parts.split_last()?;
    let unit = match *last {
        "WriteRequestUnits" => Unit::Write,
        "ReadRequestUnits" => Unit::Read,
        _ => return None,
    };
    match before {
        [] => Some((unit, false)),
        ["IA"] | [_, "IA"] => Some((unit, true)),
        [_] => Some((unit, false)),
        _ => None,
    }
}

/// What one unit costs: the free band of a price, where it has one, is none.
fn per_unit(product: &Product) -> Option<Usd> {
    let terms = product.terms.get("OnDemand")?.values();
    let dimensions = terms.flat_map(|term| term.price_dimensions.values());
    let prices = dimensions.filter_map(|dimension| Usd::parse(dimension.price_per_unit.get("USD")?).ok());
    prices.filter(|price| *price > Usd::default()).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(usage: &str, region: &str, prices: &[&str]) -> String {
        let dimension = |(at, price): (usize, &&str)| format!(r#""D{at}": {{"pricePerUnit": {{"USD": "{price}"}}}}"#);
        let dimensions: Vec<String> = prices.iter().enumerate().map(dimension).collect();
        format!(
            r#"{{"product": {{"attributes": {{"usagetype": "{usage}", "regionCode": "{region}"}}}},
                "terms": {{"OnDemand": {{"T": {{"priceDimensions": {{{}}}}}}}}},
                "publicationDate": "2026-11-20T10:00:00Z"}}"#,
            dimensions.join(", ")
        )
    }

    #[test]
    fn request_units_are_told_from_everything_that_is_called_alike() {
        let list = [
            product("WriteRequestUnits", "us-east-1", &["0.0000006250"]),
            product("ReadRequestUnits", "us-east-1", &["0.0000000000", "0.0000001250"]),
            product("IA-WriteRequestUnits", "us-east-1", &["0.0000007800"]),
            product("IA-ReadRequestUnits", "us-east-1", &["0.0000001550"]),
            product("ReplWriteRequestUnits", "us-east-1", &["0.0000009990"]),
            product("USE1-ReplWriteRequestUnits", "us-east-1", &["0.0000009990"]),
            product("WriteCapacityUnit-Hrs", "us-east-1", &["0.0000000000", "0.0006500000"]),
            product("SAE1-WriteRequestUnits", "sa-east-1", &["0.0000009375"]),
            product("SAE1-ReadRequestUnits", "sa-east-1", &["0.0000001875"]),
            product("EU-WriteRequestUnits", "eu-west-1", &["0.0000007050"]),
            r#"{"product": {"attributes": {"group": "vectors"}}}"#.to_owned(),
        ];
        let table = PriceTable::from_price_list(list.iter().map(String::as_str)).unwrap();
        let price = |region, class| table.find(region, class).map(|price| (price.write_million, price.read_million));
        let usd = |text: &str| Usd::parse(text).unwrap();
        assert_eq!(price("us-east-1", TableClass::Standard), Some((usd("0.625"), usd("0.125"))));
        assert_eq!(price("us-east-1", TableClass::StandardInfrequentAccess), Some((usd("0.78"), usd("0.155"))));
        assert_eq!(price("sa-east-1", TableClass::Standard), Some((usd("0.9375"), usd("0.1875"))));
        assert_eq!(price("eu-west-1", TableClass::Standard), None, "a price without its other half is none");
        assert_eq!(table.prices()[0].as_of.as_deref(), Some("2026-11-20"));
        assert!(PriceTable::from_price_list(["{}"]).is_err());
    }

    #[test]
    fn a_refreshed_table_can_be_written_and_read_again() {
        let list = [
            product("SAE1-WriteRequestUnits", "sa-east-1", &["0.0000009375"]),
            product("SAE1-ReadRequestUnits", "sa-east-1", &["0.0000001875"]),
        ];
        let table = PriceTable::from_price_list(list.iter().map(String::as_str)).unwrap();
        assert_eq!(PriceTable::parse(&table.to_toml()).unwrap(), table);
    }
}
