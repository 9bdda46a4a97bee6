//! How long a definition takes to compile, and how that grows with its length.
//!
//! `cargo bench --bench compile`. The baseline is reading the same text as TOML, in the same run; the figure is the
//! ratio of the two. A definition of 200 entities and 20 indexes is to compile within 20 ms on the machines of
//! `benches/README.md`, and twice the length is to take little more than twice the time.

#![expect(clippy::print_stdout, reason = "what it prints is its result")]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use singletable::Layout;

const ROUNDS: usize = 21;

fn main() {
    println!("entities  indexes   bytes    compile  TOML only  ratio (spread)  to half the entities");
    let mut half = None;
    for entities in [25, 50, 100, 200, 400, 800] {
        let definition = definition(entities, 20);
        let compiled = Layout::compile(&definition);
        assert!(compiled.layout.is_some(), "{:#?}", compiled.diagnostics.iter().find(|one| one.is_error()));
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let compile = time(|| drop(black_box(Layout::compile(&definition))));
            let toml = time(|| drop(black_box(definition.parse::<toml::Table>())));
            ratios.push(compile.as_secs_f64() / toml.as_secs_f64());
            ours.push(compile);
            theirs.push(toml);
        }
        ratios.sort_by(f64::total_cmp);
        let (compile, toml) = (median(ours), median(theirs));
        let growth =
            half.map_or("-".to_owned(), |half: Duration| format!("{:.2}", compile.as_secs_f64() / half.as_secs_f64()));
        println!(
            "{entities:8}  {:7}  {:6}  {:6.2} ms  {:6.2} ms  {:5.1} ({:.1} to {:.1})  {growth}",
            20,
            definition.len(),
            milliseconds(compile),
            milliseconds(toml),
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1],
        );
        half = Some(compile);
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Families of four entities that share a partition; each entity is in two indexes, and three of four carry copies of
/// what the first of their family is called.
fn definition(entities: usize, indexes: usize) -> String {
    let mut text =
        "[table]\nname = \"bench\"\npartition_key = \"PK\"\nsort_key = \"SK\"\ntype_attribute = \"type\"\n".to_owned();
    for index in 0..indexes {
        let _ = write!(
            text,
            "[indexes.GSI{index:02}]\npartition_key = \"P{index:02}\"\nsort_key = \"S{index:02}\"\nprojection = [\"name\", \"status\"]\n"
        );
    }
    for entity in 0..entities {
        let (family, member) = (entity / 4, entity % 4);
        let keys: String = [entity % indexes, (entity * 7 + 3) % indexes]
            .iter()
            .enumerate()
            .filter(|(at, index)| *at == 0 || **index != entity % indexes)
            .map(|(_, index)| {
                format!(", P{index:02} = \"E{entity}#{{status}}\", S{index:02} = \"{{createdAt}}#{{id}}\"")
            })
            .collect();
        let sort = if member == 0 { "HEAD".to_owned() } else { format!("PART{member}#{{id}}") };
        let _ = write!(
            text,
            "[entities.Entity{entity}]\nkeys = {{ PK = \"FAMILY{family}#{{familyId}}\", SK = \"{sort}\"{keys} }}\n\
             [entities.Entity{entity}.attributes]\nid = {{ type = \"string\", excludes = \"#\" }}\nfamilyId = \"string\"\n\
             name = {{ type = \"string\", max_bytes = 120 }}\nstatus = {{ type = \"string\", values = [\"open\", \"closed\"] }}\n\
             createdAt = \"timestamp\"\nnote = {{ type = \"string\", max_bytes = 2000, optional = true }}\n\
             tags = {{ type = \"list\", of = \"string\", max_items = 20 }}\n\
             place = {{ type = \"map\", optional = true, attributes = {{ city = \"string\", zip = \"string\" }} }}\n"
        );
        if member != 0 {
            let head = family * 4;
            let _ = write!(
                text,
                "headName = {{ type = \"string\", max_bytes = 120 }}\n[entities.Entity{entity}.references.head]\nentity = \"Entity{head}\"\n\
                 by = {{ familyId = \"familyId\" }}\nkeep = \"latest\"\ncopies = {{ headName = \"name\" }}\n"
            );
        }
    }
    text
}
