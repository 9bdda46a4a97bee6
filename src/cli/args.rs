//! The command line as it is typed; nothing here is looked up.

use std::num::NonZeroU64;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::cost::{Discount, Usd, UsdError};

/// Many entities in one DynamoDB table: layouts, items that fit, and copies kept right at a known cost.
#[derive(Debug, Parser)]
#[command(name = "singletable", bin_name = "singletable", version, max_term_width = 100)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Clone, ClapArgs)]
pub(super) struct Common {
    /// The definition file; without it, the only file in tables/
    #[arg(short, long, global = true, value_name = "FILE", env = "SINGLETABLE_DEFINITION", hide_env_values = true)]
    pub(super) definition: Option<PathBuf>,
    /// How to print
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// One JSON object, for programs
    Json,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the whole story on an engine of its own: create, load, plan a rename, apply, verify
    #[cfg(feature = "local")]
    Demo,
    /// Check a definition
    Check,
    /// Tell what a diagnostic means: why it matters, an example, and the cure
    Explain {
        /// The diagnostic's code, such as key-template.empty; without it, all codes are listed
        code: Option<String>,
    },
    /// Show the key chart: every entity's keys, indexes, copies and routes
    Layout,
    /// Write what other tools take: a request that creates the table, the JSON Schema of definitions
    #[command(subcommand)]
    Export(Export),
    /// Create the table, and wait until it is active
    Create {
        #[command(flatten)]
        connection: Connection,
    },
    /// Create one item
    Put(Put),
    /// Read one item
    Get(Get),
    /// Change one item, and every index key that depends on what changes
    Update(Update),
    /// Create an item for each line of a JSON Lines file
    Load(Load),
    /// Show what an item weighs, attribute by attribute, or how many are distributed; needs no table
    Size(Size),
    /// Tell what something would take, before it is done
    #[command(subcommand)]
    Estimate(Estimate),
    /// What request units cost
    #[command(subcommand)]
    Prices(Prices),
    /// Bring copies up to date
    #[command(subcommand, name = "fan-out")]
    FanOut(FanOut),
    /// Write what a shell takes to complete this command line; needs no definition
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the manual page, as man(1) reads it; needs no definition
    Man {
        /// The folder that takes a page for each command; without it, the main page goes to stdout
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Export {
    /// What `aws dynamodb create-table --cli-input-json` takes
    CreateTable {
        /// The table's name, where it is not the definition's
        #[arg(long, value_name = "NAME")]
        table_name: Option<String>,
    },
    /// The JSON Schema of definition files, from which an editor completes and checks them; needs no definition
    DefinitionSchema,
}

/// Where the table is. Without any of these, the AWS defaults hold, environment included.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "Where the table is")]
pub(super) struct Connection {
    /// The embedded engine, kept in a folder
    #[cfg(feature = "local")]
    #[arg(
        long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".singletable",
        conflicts_with_all = ["endpoint_url", "profile"]
    )]
    pub(super) local: Option<PathBuf>,
    /// An endpoint, such as http://127.0.0.1:4566
    #[arg(long, value_name = "URL")]
    pub(super) endpoint_url: Option<String>,
    /// The AWS region; with the embedded engine, the one whose prices are shown
    #[arg(long, value_name = "REGION")]
    pub(super) region: Option<String>,
    /// The AWS profile
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// The table's name, where it is not the definition's
    #[arg(long, value_name = "NAME")]
    pub(super) table_name: Option<String>,
}

/// What requests cost. Without any of these, a dated table of AWS's list prices tells, where it has the region.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "What it costs")]
pub(super) struct Pricing {
    /// US dollars for a million write request units, such as 0.625
    #[arg(long, value_name = "USD", value_parser = usd, requires = "price_read")]
    pub(super) price_write: Option<Usd>,
    /// US dollars for a million read request units, such as 0.125
    #[arg(long, value_name = "USD", value_parser = usd, requires = "price_write")]
    pub(super) price_read: Option<Usd>,
    /// A price table of your own, in TOML, where no price is given
    #[arg(long, value_name = "FILE", env = "SINGLETABLE_PRICES", hide_env_values = true)]
    pub(super) prices: Option<PathBuf>,
    /// What is taken off the prices, in percent, such as 12.5
    #[arg(long, value_name = "PERCENT", value_parser = discount)]
    pub(super) discount: Option<Discount>,
}

/// What a command may use at the most; when it would be more, nothing is written.
#[derive(Debug, Clone, ClapArgs)]
#[command(next_help_heading = "What it may use")]
pub(super) struct Budget {
    /// Write nothing if it may take more write units than this, table and indexes together
    #[arg(long, value_name = "UNITS")]
    pub(super) max_write_units: Option<u64>,
    /// Write nothing if it may cost more US dollars than this
    #[arg(long, value_name = "USD", value_parser = usd)]
    pub(super) max_cost: Option<Usd>,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Put {
    /// The item's entity
    pub(super) entity: String,
    /// Its attributes; lists, maps and sets in JSON
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) attributes: Vec<(String, String)>,
    /// A JSON object: the entity's attributes, or an item in DynamoDB JSON; `-` reads stdin
    #[arg(short, long, value_name = "FILE", conflicts_with = "attributes")]
    pub(super) file: Option<PathBuf>,
    /// Replace an item that has the same key
    #[arg(long)]
    pub(super) replace: bool,
    #[command(flatten)]
    pub(super) budget: Budget,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Get {
    /// The item's entity
    pub(super) entity: String,
    /// The attributes that make its key
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) key: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
#[command(after_help = "A NAME is an attribute, or a path into it: byline.name, tags[1], watchers[0].name. A dot, a \
                        bracket or a backslash that is part of a name is written with a backslash before it, as in \
                        'labels.v1\\.2', where the definition does not name the attribute with it.")]
pub(super) struct Update {
    /// The item's entity
    pub(super) entity: String,
    /// The attributes that make its key
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) key: Vec<(String, String)>,
    /// A new value
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) set: Vec<(String, String)>,
    /// An attribute to take away
    #[arg(long, value_name = "NAME")]
    pub(super) remove: Vec<String>,
    /// What is added to a number, which may be below 0, or a member that is added to a set
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) add: Vec<(String, String)>,
    /// An element that is put at the end of a list
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) append: Vec<(String, String)>,
    /// A member that is deleted from a set
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) delete: Vec<(String, String)>,
    /// A value that the item holds: the update is made only while it does, and index keys can be made from it
    #[arg(long = "if", value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) told: Vec<(String, String)>,
    /// Read the item first, so that every index key can be made, and guard what was read
    #[arg(long)]
    pub(super) read: bool,
    /// Show the expressions
    #[arg(long)]
    pub(super) show_expressions: bool,
    #[command(flatten)]
    pub(super) budget: Budget,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Load {
    /// The entity, where the lines do not tell it, and the file; `-` reads stdin
    #[arg(value_name = "[ENTITY] FILE", num_args = 1..=2, required = true)]
    pub(super) what: Vec<String>,
    /// Replace items that have the same key
    #[arg(long)]
    pub(super) replace: bool,
    #[command(flatten)]
    pub(super) budget: Budget,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Size {
    /// The entity, where the items do not tell it, and the file: one item, or one on each line, compressed or not; `-` reads stdin
    #[arg(value_name = "[ENTITY] FILE", num_args = 1..=2, required = true)]
    pub(super) what: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Prices {
    /// Show the prices that are known, when they were read and where; needs no definition
    List(PricesList),
    /// Read them anew from AWS's price list; needs no definition
    #[cfg(feature = "prices")]
    Refresh(PricesRefresh),
}

#[derive(Debug, ClapArgs)]
pub(super) struct PricesList {
    /// A price table of your own, in TOML
    #[arg(long, value_name = "FILE", env = "SINGLETABLE_PRICES", hide_env_values = true)]
    pub(super) prices: Option<PathBuf>,
}

#[cfg(feature = "prices")]
#[derive(Debug, ClapArgs)]
pub(super) struct PricesRefresh {
    /// Only this region; it may be given several times
    #[arg(long, value_name = "REGION")]
    pub(super) region: Vec<String>,
    /// The AWS profile
    #[arg(long, value_name = "NAME")]
    pub(super) profile: Option<String>,
    /// The file that takes them, for `--prices`; without it, they go to stdout
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Estimate {
    /// What each copy costs and saves, by the items that are there: copy, reference or embed
    Copies(EstimateCopies),
    /// What a changed definition asks of the items that are there: steps, units, storage, time and dollars
    Migration(EstimateMigration),
    /// What a query takes: read units of each page and in all, by the items that are there
    Query(EstimateQuery),
}

#[derive(Debug, ClapArgs)]
pub(super) struct EstimateCopies {
    /// Go by the items of a file, one on each line, such as an export to S3; without it, the table is scanned
    #[arg(long, value_name = "FILE")]
    pub(super) items: Option<PathBuf>,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct EstimateQuery {
    /// The entity whose items are asked for
    pub(super) entity: String,
    /// The attributes that are known: they make the partition key, and the beginning of the sort key
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) attributes: Vec<(String, String)>,
    /// The index that is asked; without it, the table
    #[arg(long, value_name = "NAME")]
    pub(super) index: Option<String>,
    /// Go by the items of a file, one on each line, such as an export to S3; without it, the table is asked
    #[arg(long, value_name = "FILE")]
    pub(super) items: Option<PathBuf>,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct EstimateMigration {
    /// The definition that the table has
    pub(super) old: PathBuf,
    /// The definition that it is to have
    pub(super) new: PathBuf,
    /// Go by the items of a file, one on each line, such as an export to S3; without it, the table is scanned
    #[arg(long, value_name = "FILE")]
    pub(super) items: Option<PathBuf>,
    /// How many write units a second it may take
    #[arg(long, value_name = "UNITS", conflicts_with = "sample")]
    pub(super) rate: Option<NonZeroU64>,
    /// Go through so many percent of the items only, from 1 to 50, and tell how far off the figures may be
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(1..=50))]
    pub(super) sample: Option<u64>,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, Subcommand)]
pub(super) enum FanOut {
    /// Show every change and what it takes, before anything is written
    Plan(Plan),
    /// Run a plan, or plan, show and ask
    Apply(Apply),
    /// Finish a run that was stopped: what its ledger does not know to be done
    Resume(Resume),
    /// List the runs that are not finished, what is left of them, and what that takes
    Status(Status),
}

#[derive(Debug, ClapArgs)]
pub(super) struct Plan {
    /// The source's entity
    pub(super) entity: String,
    /// The attributes that make its key
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) key: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) request: Request,
    /// Write the plan to a file, for `fan-out apply`
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Show the expressions of each change
    #[arg(long)]
    pub(super) show_expressions: bool,
    /// Exit with 4 when there is anything to change
    #[arg(long)]
    pub(super) detailed_exit_code: bool,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Apply {
    /// A plan file, or the source's entity
    #[arg(value_name = "PLAN|ENTITY")]
    pub(super) target: String,
    /// The attributes that make the source's key
    #[arg(value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) key: Vec<(String, String)>,
    #[command(flatten)]
    pub(super) request: Request,
    /// Go ahead without asking
    #[arg(short, long)]
    pub(super) yes: bool,
    /// Show the expressions of each change
    #[arg(long)]
    pub(super) show_expressions: bool,
    #[command(flatten)]
    pub(super) budget: Budget,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Resume {
    /// The plan file, with its ledger beside it
    pub(super) plan: PathBuf,
    /// Go ahead without asking
    #[arg(short, long)]
    pub(super) yes: bool,
    #[command(flatten)]
    pub(super) budget: Budget,
    #[command(flatten)]
    pub(super) pricing: Pricing,
    #[command(flatten)]
    pub(super) connection: Connection,
}

#[derive(Debug, ClapArgs)]
pub(super) struct Status {
    /// Plan files, or folders that hold some: this one and that of the runs, where none is named
    #[arg(value_name = "PLAN|FOLDER")]
    pub(super) places: Vec<PathBuf>,
    /// List finished runs, too
    #[arg(long)]
    pub(super) all: bool,
    /// The embedded engine's folder, beside which its runs are kept
    #[cfg(feature = "local")]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = ".singletable")]
    pub(super) local: Option<PathBuf>,
}

#[derive(Debug, Clone, ClapArgs)]
pub(super) struct Request {
    /// A new value of the source
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) set: Vec<(String, String)>,
    /// An older value that copies may still hold, and that the source's value supersedes
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(super) was: Vec<(String, String)>,
    /// Change these copies as well
    #[arg(long, value_enum, value_delimiter = ',', value_name = "CLASS")]
    pub(super) include: Vec<Include>,
}

impl Request {
    /// Whether anything was asked.
    pub(super) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.was.is_empty() && self.include.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Include {
    /// Copies that hold some other value
    Diverged,
    /// Copies that are missing
    Absent,
}

fn usd(text: &str) -> Result<Usd, UsdError> {
    Usd::parse(text)
}

fn discount(text: &str) -> Result<Discount, &'static str> {
    Discount::parse(text).ok_or("it is a percentage from 0 to 100 with at most two places, such as 12.5")
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("it is written NAME=VALUE".to_owned()),
    }
}
