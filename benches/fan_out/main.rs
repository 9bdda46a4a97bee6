//! What a fan-out takes of the machine that it runs on, measured on the command line itself.
//!
//! `cargo bench --bench fan_out --all-features -- memory` plans and applies 100,000 and 1,000,000 changes against an
//! endpoint in another process that answers at once, and says the peak memory of each.
//!
//! `cargo bench --bench fan_out --all-features -- planning BASELINE` plans the 43,928 posts of an author of the
//! generated blog on the embedded engine in another process, in turn with another `singletable` that was built
//! before; the figure is the ratio of the two times.

#![expect(clippy::print_stdout, reason = "what it prints is its result")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on says where")]

mod child;
mod stub;

use std::path::Path;
use std::process::Command;

use child::{Server, run};

const SINGLETABLE: &str = env!("CARGO_BIN_EXE_singletable");
const ROUNDS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["memory"] => memory(),
        ["planning", baseline] => planning(Path::new(baseline)),
        ["serve-stub", posts] => block_on(stub::serve(posts.parse().unwrap())),
        ["serve-engine"] => block_on(serve_engine()),
        _ => println!("say `memory`, or `planning BASELINE` with the program to compare with"),
    }
}

fn memory() {
    println!("  changes  command         time  peak memory");
    for changes in [100_000, 1_000_000] {
        let stub = Server::start(&["serve-stub", &changes.to_string()]);
        let folder = tempfile::tempdir().unwrap();
        let plan = folder.path().join("plan.jsonl");
        let definition = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables/blog.toml");
        let command = |arguments: &[&str]| {
            let mut command = Command::new(SINGLETABLE);
            command.arg("--definition").arg(&definition).args(arguments).arg("--endpoint-url").arg(&stub.url);
            command
        };
        let set = ["fan-out", "plan", "Author", "id=12", "--set", "name=Mara V."];
        let planned = run(command(&set).arg("-o").arg(&plan));
        let applied = run(command(&["fan-out", "apply"]).arg(&plan).arg("--yes"));
        for (name, taken) in [("fan-out plan", planned), ("fan-out apply", applied)] {
            println!("{changes:9}  {name:13}  {:5.1} s  {:6.1} MiB", taken.time.as_secs_f64(), taken.peak_mib());
        }
    }
}

fn planning(baseline: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let generator = root.join("tests/datasets/gen_authors_posts.py");
    let arguments = ["--authors", "5", "--posts", "100000", "--max-body", "200", "--seed", "7"];
    run(Command::new("python3").arg(generator).arg(folder.path()).args(arguments));
    let engine = Server::start(&["serve-engine"]);
    let command = |program: &Path, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.arg("--definition").arg(root.join("tests/blog/blog.toml")).args(arguments);
        command.arg("--endpoint-url").arg(&engine.url);
        command
    };
    run(&mut command(SINGLETABLE.as_ref(), &["create"]));
    run(command(SINGLETABLE.as_ref(), &["load"]).arg(folder.path().join("items.jsonl")));
    let set = ["fan-out", "plan", "Author", "authorId=a00000", "--set", "name=New"];
    println!("round  baseline    peak       this    peak  ratio");
    let mut ratios: Vec<f64> = Vec::new();
    for round in 1..=ROUNDS {
        let theirs = run(&mut command(baseline, &set));
        let ours = run(&mut command(SINGLETABLE.as_ref(), &set));
        let ratio = ours.time.as_secs_f64() / theirs.time.as_secs_f64();
        println!(
            "{round:5}  {:6.2} s  {:3.0} MiB  {:6.2} s  {:3.0} MiB  {ratio:.2}",
            theirs.time.as_secs_f64(),
            theirs.peak_mib(),
            ours.time.as_secs_f64(),
            ours.peak_mib(),
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio {:.2}", ratios[ROUNDS / 2]);
}

async fn serve_engine() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    dynoxide::server::serve_on(listener, dynoxide::Database::memory().unwrap()).await;
}

fn block_on(work: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(work);
}
