//! The headline and the source lines that a finding is about.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use heddle_model::finding::{Finding, Location};

use super::{Options, printable};
use crate::recording::Lines;

/// One place with all that is to be said of it.
struct Remark {
    at: Location,
    labels: Vec<String>,
    primary: bool,
}

/// The headline and the source lines of `finding`.
pub fn render(finding: &Finding, lines: &Lines, options: &Options) -> String {
    // "assertion: assertion `x` failed" would say it twice.
    let title = if finding.message.starts_with(finding.kind.name()) {
        printable(&finding.message)
    } else {
        printable(&format!("{}: {}", finding.kind, finding.message))
    };
    let mut group = Group::with_title(Level::ERROR.primary_title(title));
    let remarks = remarks(finding);
    let mut files: Vec<&str> = Vec::new();
    for remark in &remarks {
        if !files.contains(&remark.at.file.as_str()) {
            files.push(&remark.at.file);
        }
    }
    for file in files {
        let here: Vec<&Remark> = remarks.iter().filter(|remark| remark.at.file == file).collect();
        match lines.get(file).filter(|known| here.iter().any(|remark| known.contains_key(&remark.at.line))) {
            Some(known) => group = group.element(annotated(file, known, &here)),
            None => {
                for remark in here {
                    let label = remark.labels.iter().map(|label| format!(": {label}")).collect::<String>();
                    group = group.element(Level::NOTE.message(printable(&format!("at {}{label}", remark.at))));
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

/// The places of a finding, each once: what several notes say of one line is said together.
fn remarks(finding: &Finding) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = Vec::new();
    let primary = finding.location.iter().map(|at| (at, String::new(), true));
    let notes = finding.notes.iter().filter_map(|note| Some((note.location.as_ref()?, note.message.clone(), false)));
    for (at, label, primary) in primary.chain(notes) {
        match remarks.iter_mut().find(|known| known.at.file == at.file && known.at.line == at.line) {
            Some(known) => known.labels.push(label),
            None => remarks.push(Remark { at: at.clone(), labels: vec![label], primary }),
        }
    }
    for remark in &mut remarks {
        const SHOWN: usize = 2;
        remark.labels.retain(|label| !label.is_empty());
        if remark.labels.len() > 1 {
            // Side by side, each says only the first thing that it has to say: the table of threads says the rest.
            for label in &mut remark.labels {
                label.truncate(label.find(", ").unwrap_or(label.len()));
            }
        }
        if remark.labels.len() > SHOWN {
            let more = remark.labels.len() - SHOWN;
            remark.labels.truncate(SHOWN);
            remark.labels.push(format!("and {more} more, see below"));
        }
    }
    remarks
}

fn annotated<'a>(
    file: &'a str,
    known: &std::collections::BTreeMap<u32, String>,
    remarks: &[&Remark],
) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    // The source as far as it is known: what was not kept is folded away, so that empty lines stand in for it.
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
    for remark in remarks {
        let (Some(&start), Some(text)) = (starts.get(&remark.at.line), known.get(&remark.at.line)) else { continue };
        let (from, to) = span(text, remark.at.column);
        let kind = if remark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(start + from..start + to);
        if !remark.labels.is_empty() {
            annotation = annotation.label(printable(&remark.labels.join("; ")));
        }
        snippet.push(annotation);
    }
    Snippet::source(source).line_start(first as usize).path(file).fold(true).annotations(snippet)
}

/// The bytes of a line to underline: from the column, if it is known and in the line, to the end of the statement.
fn span(line: &str, column: u32) -> (usize, usize) {
    let code = line.find("//").map_or(line, |comment| &line[..comment]);
    let code = if code.trim().is_empty() { line } else { code };
    let body = code.trim_end().trim_end_matches(';').trim_end();
    let indent = line.len() - line.trim_start().len();
    let from = (column as usize).checked_sub(1).filter(|&at| at < body.len() && line.is_char_boundary(at));
    let from = from.unwrap_or(indent.min(body.len()));
    (from, body.len().max(from))
}
