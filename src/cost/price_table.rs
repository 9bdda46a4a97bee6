//! What units cost, where and when.

use serde::{Deserialize, Serialize};

use super::{Usd, UsdError};
use crate::capacity::{ReadUnits, WriteUnits};
use crate::model::TableClass;

/// What a million request units cost on demand, in one region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Price {
    /// The region.
    pub region: String,
    /// The table class.
    pub table_class: TableClass,
    /// A million write request units.
    pub write_million: Usd,
    /// A million read request units.
    pub read_million: Usd,
    /// When it was read, as exactly as that is known; `None` for a price of one's own.
    pub as_of: Option<String>,
    /// Where it was read.
    pub source: Option<String>,
}

impl Price {
    /// What so many units cost at list price.
    pub fn of(&self, write: WriteUnits, read: ReadUnits) -> Usd {
        self.write_million.scaled(write.0, 1_000_000) + self.read_million.scaled(read.halves(), 2_000_000)
    }
}

/// Prices of several regions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriceTable {
    prices: Vec<Price>,
}

/// Why a text is no price table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PriceTableError {
    /// It is no TOML, or not of this shape.
    #[error("{0}")]
    Shape(String),
    /// A price is none.
    #[error("the price of {region}: {error}")]
    Price {
        /// The region.
        region: String,
        /// What is wrong.
        error: UsdError,
    },
    /// A region and class stand twice.
    #[error("{0} stands twice with the same table class")]
    Twice(String),
}

impl PriceTable {
    /// The prices that this version came with: those that were confirmed, and no others.
    ///
    /// ```
    /// use singletable::capacity::{ReadUnits, WriteUnits};
    /// use singletable::cost::PriceTable;
    /// use singletable::model::TableClass;
    /// let prices = PriceTable::shipped();
    /// let price = prices.find("eu-central-1", TableClass::Standard).unwrap();
    /// let migration = price.of(WriteUnits(40_000_000), ReadUnits::from_halves(10_000_000));
    /// assert_eq!(migration.to_string(), "$31.27");
    /// assert!(prices.find("sa-east-1", TableClass::Standard).is_none());
    /// ```
    pub fn shipped() -> Self {
        Self::parse(include_str!("prices.toml")).expect("the shipped prices are tested")
    }

    /// Reads a table: `[[price]]`, each with `region`, `write` and `read` (US dollars for a million units, as texts, so
    /// that no digit is lost), and where wanted `table_class`, `as_of` and `source`.
    ///
    /// # Errors
    /// It is no such table.
    pub fn parse(text: &str) -> Result<Self, PriceTableError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            price: Vec<Row>,
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Row {
            region: String,
            #[serde(default)]
            table_class: TableClass,
            write: String,
            read: String,
            as_of: Option<String>,
            source: Option<String>,
        }
        let shape = |error: toml::de::Error| PriceTableError::Shape(error.to_string().trim().to_owned());
        let file: File = toml::from_str(text).map_err(shape)?;
        let mut table = PriceTable::default();
        for Row { region, table_class, write, read, as_of, source } in file.price {
            let usd =
                |text: &str| Usd::parse(text).map_err(|error| PriceTableError::Price { region: region.clone(), error });
            let (write_million, read_million) = (usd(&write)?, usd(&read)?);
            if table.find(&region, table_class).is_some() {
                return Err(PriceTableError::Twice(region));
            }
            table.prices.push(Price { region, table_class, write_million, read_million, as_of, source });
        }
        Ok(table)
    }

    /// Of these prices, each for another region or class.
    pub(crate) fn of(prices: Vec<Price>) -> Self {
        PriceTable { prices }
    }

    /// As [`PriceTable::parse`] reads it.
    pub fn to_toml(&self) -> String {
        // A JSON string is a TOML string, too.
        let quoted = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
        let mut text = String::new();
        for price in &self.prices {
            text.push_str(&format!("[[price]]\nregion = {}\n", quoted(&price.region)));
            if price.table_class == TableClass::StandardInfrequentAccess {
                text.push_str("table_class = \"standard-infrequent-access\"\n");
            }
            text.push_str(&format!(
                "write = \"{}\"\nread = \"{}\"\n",
                price.write_million.exact(),
                price.read_million.exact()
            ));
            for (name, value) in [("as_of", &price.as_of), ("source", &price.source)] {
                value.iter().for_each(|value| text.push_str(&format!("{name} = {}\n", quoted(value))));
            }
            text.push('\n');
        }
        text
    }

    /// The price of a region. One that is not in the table has none: another region's would be a guess.
    pub fn find(&self, region: &str, class: TableClass) -> Option<&Price> {
        self.prices.iter().find(|price| price.region == region && price.table_class == class)
    }

    /// All prices, in the order in which they were written.
    pub fn prices(&self) -> &[Price] {
        &self.prices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shipped_can_be_read_and_says_where_it_is_from() {
        let shipped = PriceTable::shipped();
        assert!(shipped.prices().len() >= 7);
        assert!(shipped.prices().iter().all(|price| price.as_of.is_some() && price.source.is_some()));
    }

    #[test]
    fn a_table_of_ones_own_is_checked() {
        for (text, part) in [
            ("[[price]]\nregion = \"x\"\nwrite = \"1\"\n", "missing field `read`"),
            ("[[price]]\nregion = \"x\"\nwrite = 0.6\nread = \"1\"\n", "invalid type: floating point"),
            ("[[price]]\nregion = \"x\"\nwrite = \"1,5\"\nread = \"1\"\n", "the price of x: `1,5` is no amount"),
            ("[[price]]\nregion = \"x\"\nwrite = \"1\"\nread = \"1\"\nclass = \"ia\"\n", "unknown field `class`"),
        ] {
            let error = PriceTable::parse(text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        let row = "[[price]]\nregion = \"x\"\nwrite = \"1\"\nread = \"0.25\"\n";
        assert!(PriceTable::parse(&format!("{row}{row}")).unwrap_err().to_string().contains("twice"));
        assert_eq!(PriceTable::parse(row).unwrap().find("x", TableClass::Standard).unwrap().as_of, None);
    }

    #[test]
    fn half_a_read_unit_has_its_price() {
        let price = PriceTable::shipped().find("us-east-1", TableClass::Standard).unwrap().clone();
        assert_eq!(price.of(WriteUnits(0), ReadUnits::from_halves(1)), Usd::parse("0.0000000625").unwrap());
        assert_eq!(price.of(WriteUnits(1), ReadUnits::default()), Usd::parse("0.000000625").unwrap());
    }
}
