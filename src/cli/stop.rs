//! Ctrl-C: the first stops cleanly, the second at once.

use tokio_util::sync::CancellationToken;

use super::ExitStatus;
use super::failure::Failure;
use super::output;

/// Runs work that can be stopped. The first signal cancels the token, and the work finishes what is under
/// way; the second gives up on it.
pub(super) async fn stoppable<T>(
    token: &CancellationToken,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let signals = async {
        signal().await;
        output::say("stopping: finishing what is under way; once more stops at once");
        token.cancel();
        signal().await;
    };
    tokio::select! {
        result = work => result,
        () = signals => Err(Failure {
            status: ExitStatus::Interrupted,
            message: "stopped at once: what was under way may or may not have been written".to_owned(),
            help: Some("the same command again finishes it".to_owned()),
        }),
    }
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
        }
        Err(_) => drop(tokio::signal::ctrl_c().await),
    }
}

#[cfg(not(unix))]
async fn signal() {
    drop(tokio::signal::ctrl_c().await);
}
