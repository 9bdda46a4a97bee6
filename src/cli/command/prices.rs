//! `prices`

use serde::Serialize;

use crate::cli::args::{Common, Format, PricesList};
use crate::cli::failure::Failure;
use crate::cli::view::columns::align;
use crate::cli::{ExitStatus, output, prices};
use crate::cost::Price;
use crate::model::TableClass;

#[derive(Serialize)]
struct PricesJson<'a> {
    prices: &'a [Price],
}

/// `prices list`
pub(super) fn list(common: &Common, args: &PricesList) -> Result<ExitStatus, Failure> {
    let table = prices::table(args.prices.as_deref())?;
    match common.format {
        Format::Json => output::json("prices list", &PricesJson { prices: table.prices() })?,
        Format::Text => {
            let mut rows = vec![
                ["region", "table class", "million write units", "million read units", "as of", "source"]
                    .map(str::to_owned)
                    .to_vec(),
            ];
            rows.extend(table.prices().iter().map(|price| {
                let class = match price.table_class {
                    TableClass::Standard => "standard",
                    TableClass::StandardInfrequentAccess => "infrequent access",
                };
                let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
                vec![
                    price.region.clone(),
                    class.to_owned(),
                    format!("${}", price.write_million.exact()),
                    format!("${}", price.read_million.exact()),
                    or_none(&price.as_of),
                    or_none(&price.source),
                ]
            }));
            output::data(&align(&rows, false, ""))?;
        }
    }
    Ok(ExitStatus::Done)
}

/// `prices refresh`
#[cfg(feature = "prices")]
pub(super) async fn refresh(args: &crate::cli::args::PricesRefresh) -> Result<ExitStatus, Failure> {
    use crate::cli::connection::http_client;
    use crate::cost::PriceTable;
    use aws_sdk_pricing::types::{Filter, FilterType};

    // The list is asked for in one of the few regions that have it, whichever it is of.
    let mut loader = aws_config::defaults(aws_config::BehaviorVersion::latest())
        .http_client(http_client())
        .region(aws_config::Region::new("us-east-1"));
    if let Some(profile) = &args.profile {
        loader = loader.profile_name(profile);
    }
    let client = aws_sdk_pricing::Client::new(&loader.load().await);
    let mut request = client.get_products().service_code("AmazonDynamoDB");
    if let [only] = args.region.as_slice() {
        let filter = Filter::builder().r#type(FilterType::TermMatch).field("regionCode").value(only).build();
        request = request.filters(filter.map_err(|error| Failure::new(error.to_string()))?);
    }
    let mut products: Vec<String> = Vec::new();
    let mut pages = request.into_paginator().send();
    while let Some(page) = pages.next().await {
        let page = page.map_err(|error| {
            let error = aws_sdk_pricing::error::DisplayErrorContext(&error);
            Failure::new(format!("the price list cannot be read: {error}"))
                .help("it needs the permission pricing:GetProducts")
        })?;
        products.extend(page.price_list.unwrap_or_default());
    }
    let table = PriceTable::from_price_list(products.iter().map(String::as_str))
        .map_err(|error| Failure::new(format!("the price list is not what it was: {error}")))?;
    let wanted = |price: &&Price| args.region.is_empty() || args.region.contains(&price.region);
    let kept: Vec<Price> = table.prices().iter().filter(wanted).cloned().collect();
    if kept.is_empty() {
        return Err(Failure::new("the price list has no on-demand price of DynamoDB for that"));
    }
    let count = kept.len();
    let text = PriceTable::of(kept).to_toml();
    match &args.output {
        Some(path) => {
            std::fs::write(path, text)
                .map_err(|error| Failure::new(format!("{} cannot be written: {error}", path.display())))?;
            let path = path.display();
            output::say(&format!(
                "{count} prices written to {path}; `--prices {path}` or SINGLETABLE_PRICES takes them"
            ));
        }
        None => output::data(&text)?,
    }
    Ok(ExitStatus::Done)
}
