//! Processes, their time and their peak memory, which Linux tells in `/proc`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a command took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Taken {
    pub(crate) time: Duration,
    /// The most memory that was resident, in KiB.
    pub(crate) peak: u64,
}

impl Taken {
    pub(crate) fn peak_mib(&self) -> f64 {
        self.peak as f64 / 1024.0
    }
}

/// Runs a command to its end, which has to be a success.
pub(crate) fn run(command: &mut Command) -> Taken {
    let started = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    let ended = loop {
        let told = std::fs::read_to_string(&status).unwrap_or_default();
        let line = told.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak.max(line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0));
        match child.try_wait().unwrap() {
            Some(ended) => break ended,
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let time = started.elapsed();
    if !ended.success() {
        let stderr = child.stderr.take().map(BufReader::new);
        let lines: Vec<String> = stderr.into_iter().flat_map(|stderr| stderr.lines().map_while(Result::ok)).collect();
        panic!("{command:?} ended with {ended}: {}", lines.join("\n"));
    }
    Taken { time, peak }
}

/// A server in a process of its own: this program once more, with other arguments. Killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start(arguments: &[&str]) -> Server {
        let program = std::env::current_exe().unwrap();
        let mut child = Command::new(program).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut port = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Server { child, url: format!("http://127.0.0.1:{}", port.trim()) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
