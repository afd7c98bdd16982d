//! `HEDDLE_LOG=debug`: what Heddle does, a line for each event on standard error. For bug reports.
//!
//! The crates below say what they do with `tracing`. Without `HEDDLE_LOG` there is no subscriber: an event then costs one
//! comparison with a static level. The subscriber is our own, because that of `tracing-subscriber` brings a registry of
//! spans, which are not used here.

use std::fmt::{Debug, Write as _};
use std::io::Write as _;
use std::time::Instant;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Event, Metadata, Subscriber, span};

/// The environment variable that asks for the log.
const VARIABLE: &str = "HEDDLE_LOG";

/// Starts the log if the environment asks for it. A level that does not exist is reported and ignored.
pub fn start() {
    let Some(wanted) = std::env::var_os(VARIABLE).filter(|wanted| !wanted.is_empty()) else { return };
    let Some(level) = wanted.to_str().and_then(|wanted| wanted.parse::<LevelFilter>().ok()) else {
        eprintln!("heddle: {VARIABLE}={}: use error, warn, info, debug or trace", wanted.display());
        return;
    };
    if level != LevelFilter::OFF {
        let log = Log { level, begin: Instant::now() };
        tracing::subscriber::set_global_default(log).expect("the log is started once");
        tracing::info!(version = env!("CARGO_PKG_VERSION"), process = std::process::id(), "heddle");
    }
}

/// Writes events up to a level.
struct Log {
    level: LevelFilter,
    begin: Instant,
}

/// One line: the message, then the fields in their order.
#[derive(Default)]
struct Line {
    message: String,
    fields: String,
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line::default();
        event.record(&mut line);
        let seconds = self.begin.elapsed().as_secs_f64();
        let (level, target) = (event.metadata().level(), event.metadata().target());
        let Line { message, fields } = line;
        let text = format!("[{seconds:9.4} {level:>5} {target}] {message}{fields}\n");
        // In one piece, so that the lines of other writers do not get in between. If nobody reads it, nobody misses it.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    // Nothing here uses spans.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
