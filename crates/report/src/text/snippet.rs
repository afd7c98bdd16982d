//! The headline of a finding, and the source lines that it concerns.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use heddle_model::finding::{Finding, Location};

use super::{Options, printable};
use crate::recording::Lines;

/// One source line with all its labels.
struct LabelledLine {
    at: Location,
    labels: Vec<String>,
    primary: bool,
}

/// Renders the headline and the source lines of `finding`.
pub fn render(finding: &Finding, lines: &Lines, options: &Options) -> String {
    // Avoids "assertion: assertion `x` failed".
    let title = if finding.message.starts_with(finding.kind.name()) {
        printable(&finding.message)
    } else {
        printable(&format!("{}: {}", finding.kind, finding.message))
    };
    let mut group = Group::with_title(Level::ERROR.primary_title(title));
    let labelled = labelled(finding);
    let mut files: Vec<&str> = Vec::new();
    for entry in &labelled {
        if !files.contains(&entry.at.file.as_str()) {
            files.push(&entry.at.file);
        }
    }
    for file in files {
        let here: Vec<&LabelledLine> = labelled.iter().filter(|entry| entry.at.file == file).collect();
        match lines.get(file).filter(|known| here.iter().any(|entry| known.contains_key(&entry.at.line))) {
            Some(known) => group = group.element(annotated(file, known, &here)),
            None => {
                for entry in here {
                    let label = entry.labels.iter().map(|label| format!(": {label}")).collect::<String>();
                    group = group.element(Level::NOTE.message(printable(&format!("at {}{label}", entry.at))));
                }
            }
        }
    }
    for note in finding.notes.iter().filter(|note| note.location.is_none()) {
        group = group.element(Level::NOTE.message(printable(&note.message)));
    }
    let renderer = if options.color { Renderer::styled() } else { Renderer::plain() };
    let decor = if options.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
    let mut text = renderer.decor_style(decor).term_width(options.width).render(&[group]);
    text.push('\n');
    text
}

/// The source lines of a finding, each once, with the labels of all notes about it.
fn labelled(finding: &Finding) -> Vec<LabelledLine> {
    let mut labelled: Vec<LabelledLine> = Vec::new();
    let primary = finding.location.iter().map(|at| (at, String::new(), true));
    let notes = finding.notes.iter().filter_map(|note| Some((note.location.as_ref()?, note.message.clone(), false)));
    for (at, label, primary) in primary.chain(notes) {
        match labelled.iter_mut().find(|known| known.at.file == at.file && known.at.line == at.line) {
            Some(known) => known.labels.push(label),
            None => labelled.push(LabelledLine { at: at.clone(), labels: vec![label], primary }),
        }
    }
    for entry in &mut labelled {
        const SHOWN: usize = 2;
        entry.labels.retain(|label| !label.is_empty());
        if entry.labels.len() > 1 {
            // Several labels on one line are cut after their first clause. The table of threads has the rest.
            for label in &mut entry.labels {
                label.truncate(label.find(", ").unwrap_or(label.len()));
            }
        }
        if entry.labels.len() > SHOWN {
            let more = entry.labels.len() - SHOWN;
            entry.labels.truncate(SHOWN);
            entry.labels.push(format!("and {more} more, see below"));
        }
    }
    labelled
}

fn annotated<'a>(
    file: &'a str,
    known: &std::collections::BTreeMap<u32, String>,
    labelled: &[&LabelledLine],
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    // Lines that were not kept are empty here. The renderer folds them away.
    let first = known.keys().next().copied().unwrap_or(1).max(1);
    let last = known.keys().next_back().copied().unwrap_or(1);
    let mut source = String::new();
    let mut starts = std::collections::BTreeMap::new();
    for line in first..=last {
        starts.insert(line, source.len());
        if let Some(text) = known.get(&line) {
            source.push_str(text);
        }
        source.push('\n');
    }
    let mut snippet = Vec::new();
    for entry in labelled {
        let (Some(&start), Some(text)) = (starts.get(&entry.at.line), known.get(&entry.at.line)) else { continue };
        let (from, to) = span(text, entry.at.column);
        let kind = if entry.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(start + from..start + to);
        if !entry.labels.is_empty() {
            annotation = annotation.label(printable(&entry.labels.join("; ")));
        }
        snippet.push(annotation);
    }
    Snippet::source(source).line_start(first as usize).path(file).fold(true).annotations(snippet)
}

/// The bytes of a line to underline: from the column to the end of the statement. From the start of the text if the
/// column is unknown.
fn span(line: &str, column: u32) -> (usize, usize) {
    let code = line.find("//").map_or(line, |comment| &line[..comment]);
    let code = if code.trim().is_empty() { line } else { code };
    let body = code.trim_end().trim_end_matches(';').trim_end();
    let indent = line.len() - line.trim_start().len();
    let from = (column as usize).checked_sub(1).filter(|&at| at < body.len() && line.is_char_boundary(at));
    let from = from.unwrap_or(indent.min(body.len()));
    (from, body.len().max(from))
}
