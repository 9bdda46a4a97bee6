//! Finds, reads and compiles the definition, and draws what is wrong with it.

use std::path::{Path, PathBuf};

use super::args::Common;
use super::failure::Failure;
use super::{ExitStatus, output, view};
use crate::layout::{Compiled, Layout};

/// A definition file that was read.
pub(super) struct DefinitionFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
    pub(super) compiled: Compiled,
}

/// Reads the definition that the command line, the environment or the folder tables/ names.
pub(super) fn read(common: &Common) -> Result<DefinitionFile, Failure> {
    let path = match &common.definition {
        Some(path) => path.clone(),
        None => only_file_in(Path::new("tables"))?,
    };
    read_at(path)
}

fn read_at(path: PathBuf) -> Result<DefinitionFile, Failure> {
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Failure::new(format!("the definition {} cannot be read: {error}", path.display())))?;
    let compiled = Layout::compile(&text);
    Ok(DefinitionFile { path, text, compiled })
}

/// The layout of a definition; errors in it are drawn, and end the command. Its warnings are `check`'s to tell.
pub(super) fn layout(common: &Common) -> Result<Layout, Failure> {
    compiled(read(common)?)
}

/// The layout of the definition in that file.
pub(super) fn layout_at(path: &Path) -> Result<Layout, Failure> {
    compiled(read_at(path.to_owned())?)
}

fn compiled(mut file: DefinitionFile) -> Result<Layout, Failure> {
    if let Some(layout) = file.compiled.layout.take() {
        return Ok(layout);
    }
    for diagnostic in file.compiled.diagnostics.iter().filter(|diagnostic| diagnostic.is_error()) {
        output::say(&view::diagnostic::draw(diagnostic, &file.path, &file.text));
    }
    Err(Failure::told(ExitStatus::Definition))
}

fn only_file_in(folder: &Path) -> Result<PathBuf, Failure> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "toml"))
        .collect();
    found.sort();
    match found.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::usage("no definition was named, and there is none in tables/")
            .help("pass --definition FILE, or set SINGLETABLE_DEFINITION")),
        [first, ..] => {
            Err(Failure::usage(format!("no definition was named, and there are {} in tables/", found.len()))
                .help(format!("pass --definition FILE, such as --definition {}", first.display())))
        }
    }
}
