//! What it takes to read an item of DynamoDB JSON at the 400 KB limit, whose text is up to 1.3 MB long.
//!
//! `cargo bench --bench parse --no-default-features`, with python3 for the generated items. The baseline is
//! `serde_json::from_str::<serde_json::Value>` of the same text, in the same run; the figures are the ratio of the two
//! times, and the memory that reading adds, in times the text's length (as Linux tells it in `/proc`).

#![expect(clippy::print_stdout, reason = "what it prints is its result")]
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on says where")]

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use singletable::item::Input;

const ROUNDS: usize = 21;

fn main() {
    if let Some(path) = std::env::args().nth(1).filter(|argument| argument != "--bench") {
        return println!("{}", memory_of_reading(Path::new(&path)));
    }
    let folder = tempfile::tempdir().unwrap();
    let generator = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/datasets/gen_limit_items.py");
    assert!(Command::new("python3").arg(generator).arg(folder.path()).output().unwrap().status.success());
    let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    println!("item                              bytes      ours     Value  ratio (spread)       memory");
    for file in files.iter().filter(|file| file.to_string_lossy().ends_with("409600.json")) {
        let text = std::fs::read_to_string(file).unwrap();
        let (mut ours, mut theirs, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            let own = time(|| drop(black_box(Input::parse(&text).unwrap())));
            let value = time(|| drop(black_box(serde_json::from_str::<serde_json::Value>(&text).unwrap())));
            ratios.push(own / value);
            ours.push(own);
            theirs.push(value);
        }
        [&mut ours, &mut theirs, &mut ratios].into_iter().for_each(|all| all.sort_by(f64::total_cmp));
        let reading = Command::new(std::env::current_exe().unwrap()).arg(file).output().unwrap();
        let added: f64 = String::from_utf8(reading.stdout).unwrap().trim().parse().unwrap();
        println!(
            "{:30}  {:7}  {:5.1} ms  {:5.1} ms  {:5.2} ({:.2} to {:.2})  {:4.1} times",
            file.file_stem().unwrap().to_string_lossy(),
            text.len(),
            ours[ROUNDS / 2] * 1000.0,
            theirs[ROUNDS / 2] * 1000.0,
            ratios[ROUNDS / 2],
            ratios[0],
            ratios[ROUNDS - 1],
            added / text.len() as f64,
        );
    }
}

/// In seconds.
fn time(work: impl FnOnce()) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}

/// The bytes by which reading an item raises the most that this process ever held.
fn memory_of_reading(path: &Path) -> u64 {
    let text = std::fs::read_to_string(path).unwrap();
    let before = most_resident();
    black_box(Input::parse(&text).unwrap());
    most_resident() - before
}

fn most_resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
