//! `demo`: the whole story, on an engine that is gone afterwards.

use std::collections::BTreeSet;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::carry_out::{Approval, carry_out, status};
use super::plan::{make, preview};
use crate::cli::args::{Common, Format};
use crate::cli::connection::embedded;
use crate::cli::failure::Failure;
use crate::cli::view::plan::text as plan_text;
use crate::cli::view::report::{ReportJson, text as report_text};
use crate::cli::view::style::{FAINT, HEADING, paint};
use crate::cli::{ExitStatus, output, view};
use crate::client::{TableExtras, create_table, load};
use crate::fanout::{Account, PlanInMemory, Request};
use crate::item::{Item, ItemBuilder};
use crate::layout::{Chart, CreateTable, Layout};

/// The blog of the README, which is compiled in so that the demo needs no file.
const DEFINITION: &str = include_str!("../../../tables/blog.toml");
const AUTHORS: [(&str, &str); 3] = [("12", "Mara Vance"), ("13", "Odalys Thorne"), ("14", "Perrin Crake")];
const POSTS: usize = 60;

pub(super) async fn run(common: &Common) -> Result<ExitStatus, Failure> {
    let layout = Layout::compile(DEFINITION).layout.ok_or_else(|| Failure::new("the demo's definition has errors"))?;
    let session = embedded::in_memory(&layout).await?;
    let broken = |error: &dyn std::fmt::Display| Failure::new(format!("the demo failed: {error}"));
    create_table(session.store.client(), &CreateTable::of(&layout), TableExtras::of(&layout))
        .await
        .map_err(|error| broken(&error))?;
    let items = blog(&layout)?;
    let partition = layout.table().partition_key();
    let loaded = load(&session.store, partition, items, false, 32, &CancellationToken::new(), |_| {}).await;

    let chapter = |title: &str| match common.format {
        Format::Text => output::data(&format!("{}\n", paint(HEADING, format!("== {title}")))),
        Format::Json => Ok(()),
    };
    let tell = |text: String| match common.format {
        Format::Text => output::data(&format!("{text}\n")),
        Format::Json => Ok(()),
    };
    chapter("The layout of tables/blog.toml")?;
    tell(view::layout::chart(&Chart::of(&layout)))?;
    chapter("An engine in memory, with 3 authors and 60 posts")?;
    tell(format!("{} items put, {}\n", loaded.put, view::size::units(&loaded.consumed)))?;

    chapter("fan-out plan Author id=12 --set name=\"Mara V.\"")?;
    let pair = |name: &str, value: &str| [(name.to_owned(), value.to_owned())];
    let request = Request::parse(&layout, "Author", &pair("id", "12"), &pair("name", "Mara V."), &[], BTreeSet::new())
        .map_err(|error| broken(&error))?;
    let identity = session.table().await?.identity;
    let plan = make(&session, &layout, request, identity, PlanInMemory::sink()).await?;
    let shown = preview(&plan)?;
    tell(plan_text(&shown, &layout.table().key, false, None))?;

    chapter("fan-out apply")?;
    let approval = Approval { write_units: None, may_ask: false };
    let report = carry_out(&session, &layout, &plan, &mut Account::default(), approval, AGAIN).await?;
    match common.format {
        Format::Text => {
            output::data(&report_text(&shown, &report, AGAIN))?;
            output::data(&format!("\n{}\n", paint(FAINT, NEXT.trim_end())))?;
        }
        Format::Json => output::json("demo", &DemoJson { loaded: loaded.put, apply: ReportJson::of(&shown, &report) })?,
    }
    Ok(status(&report))
}

#[derive(Serialize)]
struct DemoJson<'a> {
    loaded: u64,
    #[serde(flatten)]
    apply: ReportJson<'a>,
}

const AGAIN: &str = "the same command again shows all of it";

const NEXT: &str = "\
Try it on a table that stays, kept in .singletable/:
  singletable -d tables/blog.toml create --local
  singletable -d tables/blog.toml put Author id=12 name=\"Mara Vance\" --local
  singletable -d tables/blog.toml fan-out plan Author id=12 --set name=\"Mara V.\" --local
";

/// Three authors and sixty posts: every other one is by the first author.
fn blog(layout: &Layout) -> Result<Vec<Item>, Failure> {
    let entity = |name| layout.entity(name).ok_or_else(|| Failure::new("the demo's definition has no such entity"));
    let (author, post) = (entity("Author")?, entity("Post")?);
    let authors =
        AUTHORS.iter().map(|(id, name)| ItemBuilder::new(layout, author).attribute("id", *id).attribute("name", *name));
    let posts = (1..=POSTS).map(|number| {
        let (id, name) = if number % 2 == 1 { AUTHORS[0] } else { AUTHORS[1 + number / 2 % 2] };
        let published = format!("2026-{:02}-{:02}T09:30:00.000Z", 1 + number / 28, 1 + number % 28);
        ItemBuilder::new(layout, post)
            .attribute("id", number.to_string())
            .attribute("authorId", id)
            .attribute("authorName", name)
            .attribute("title", format!("Notes from the harbour, part {number}"))
            .attribute("publishedAt", published)
    });
    let built: Result<Vec<Item>, _> = authors.chain(posts).map(ItemBuilder::build).collect();
    built.map_err(|error| Failure::new(format!("the demo failed: {error}")))
}
