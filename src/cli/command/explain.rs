//! `explain`

use serde::Serialize;

use crate::cli::args::{Common, Format};
use crate::cli::failure::Failure;
use crate::cli::view::columns::align;
use crate::cli::{ExitStatus, output};
use crate::diagnostic::did_you_mean;
use crate::explain::{PAGES, Page, page};

#[derive(Serialize)]
struct ExplainJson {
    pages: Vec<PageJson>,
}

#[derive(Serialize)]
struct PageJson {
    code: &'static str,
    text: &'static str,
}

pub(super) fn run(common: &Common, code: Option<&str>) -> Result<ExitStatus, Failure> {
    let pages: Vec<&Page> = match code {
        None => PAGES.iter().collect(),
        Some(code) => vec![page(code).ok_or_else(|| unknown(code))?],
    };
    match common.format {
        Format::Json => {
            let pages = pages.iter().map(|page| PageJson { code: page.code, text: page.text }).collect();
            output::json("explain", &ExplainJson { pages })?;
        }
        Format::Text => match (code, pages.as_slice()) {
            (Some(_), [page]) => output::data(page.text)?,
            _ => {
                let rows: Vec<Vec<String>> =
                    pages.iter().map(|page| vec![page.code.to_owned(), page.first_sentence()]).collect();
                output::data(&align(&rows, false, ""))?;
            }
        },
    }
    Ok(ExitStatus::Done)
}

fn unknown(code: &str) -> Failure {
    let meant = did_you_mean(code, PAGES.iter().map(|page| page.code));
    Failure::usage(format!("there is no diagnostic `{code}`"))
        .help(meant.unwrap_or_else(|| "`singletable explain` lists all of them".to_owned()))
}
