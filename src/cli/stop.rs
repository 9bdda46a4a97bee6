//! Ctrl-C: the first stops cleanly, the second at once.

use tokio_util::sync::CancellationToken;

use super::ExitStatus;
use super::failure::Failure;
use super::output;

/// Runs work that can be stopped. The first signal cancels the token, and the work finishes what is under
/// way; the second gives up on it. `again` says how it is taken up afterwards.
pub(super) async fn stoppable<T>(
    token: &CancellationToken,
    again: &str,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    // Listened for before the work begins, so that no signal meets a write that has no listener yet.
    let mut signals = Signals::listen()
        .map_err(|error| Failure::new(format!("Ctrl-C cannot be listened for, so nothing was begun: {error}")))?;
    let stopped_at_once = async {
        signals.next().await;
        output::say("stopping: finishing what is under way; once more stops at once");
        token.cancel();
        signals.next().await;
    };
    tokio::select! {
        result = work => result,
        () = stopped_at_once => Err(Failure {
            status: ExitStatus::Interrupted,
            message: "stopped at once: what was under way may or may not have been written".to_owned(),
            help: Some(again.to_owned()),
        }),
    }
}

/// The signals that stop a run: Ctrl-C and, on Unix, a request to terminate.
struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(not(unix))]
impl Signals {
    fn listen() -> std::io::Result<Self> {
        Ok(Signals {})
    }

    async fn next(&mut self) {
        drop(tokio::signal::ctrl_c().await);
    }
}
