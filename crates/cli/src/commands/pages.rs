//! `heddle man` and `heddle completions`: manual pages and completion scripts for packagers, made from the definition of the options.

use crate::arguments::{self, Completions, Man};
use crate::console::Console;
use crate::store;

/// Writes the manual pages, one for each subcommand.
pub fn man(options: &Man, console: &Console) -> u8 {
    let command = arguments::definition();
    let page = |command: &clap::Command, name: String| -> Result<(), String> {
        let mut bytes = Vec::new();
        // Names of commands live as long as the program; there are a handful.
        let shown = command.clone().name(&*name.clone().leak());
        clap_mangen::Man::new(shown).render(&mut bytes).map_err(|error| error.to_string())?;
        store::write_file(&options.directory.join(format!("{name}.1")), &bytes)
    };
    let mut written = page(&command, "heddle".to_string());
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        written = written.and_then(|()| page(sub, format!("heddle-{}", sub.get_name())));
    }
    match written {
        Ok(()) => 0,
        Err(message) => console.fail(&message),
    }
}

/// Prints a completion script.
pub fn completions(options: &Completions, console: &Console) -> u8 {
    let mut bytes = Vec::new();
    clap_complete::generate(options.shell, &mut arguments::definition(), "heddle", &mut bytes);
    console.result(&String::from_utf8_lossy(&bytes));
    0
}
