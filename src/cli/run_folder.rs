//! Where the plan of a run is kept that was not told where: what is not on disk cannot be taken up again.

use std::path::{Path, PathBuf};

use super::connection::Session;
use super::failure::Failure;

/// A new file's path in the folder of runs: beside the embedded engine, or in `.singletable/` where the command runs.
/// Only the owner can look into it, and git leaves it out.
pub(super) fn new_plan(session: &Session, entity: &str) -> Result<PathBuf, Failure> {
    let folder = beside(session.folder.as_deref());
    make(&folder).map_err(|error| Failure::new(format!("the folder {} cannot be made: {error}", folder.display())))?;
    let time = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%.3fZ");
    Ok(folder.join(format!("{time}-{entity}-{}.plan", std::process::id())))
}

/// The folder of runs: beside the embedded engine that is kept there, or where the command runs.
pub(super) fn beside(engine: Option<&Path>) -> PathBuf {
    engine.unwrap_or(Path::new(".singletable")).join("runs")
}

fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(())
}
