//! The findings as SARIF 2.1.0, which code hosts show beside the lines of a pull request.

use std::env;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cuda_external_check::rules::{GUIDE_URL, RULES};
use serde_json::{Value, json};

use super::printed_findings::rule_page_url;

/// Makes a log of the findings, as `--json` has them. The program replaces the place of a finding without a line.
pub fn sarif_log(findings: &[Value], program: &Path) -> Value {
    let rule = |row: &cuda_external_check::rules::RuleInfo| {
        json!({
            "id": row.id,
            "shortDescription": { "text": row.sentence },
            // Code hosts demand it.
            "fullDescription": { "text": row.sentence },
            "help": { "text": row.remedy },
            "helpUri": rule_page_url(row.id),
            "defaultConfiguration": { "level": "error" },
        })
    };
    let result = |finding: &Value| {
        let text = |name: &str| finding[name].as_str().unwrap_or_default();
        // An object that was not freed has no call, and is at the one that made it.
        let stacks = [&finding["stack"]].into_iter().chain(finding["calls"].as_array().into_iter().flatten());
        let frames =
            stacks.flat_map(|stack| stack.as_array().or(stack["stack"].as_array()).into_iter().flatten());
        let mut places = frames.filter_map(|frame| source_line_of(frame.as_str()?));
        // A library's may be built elsewhere.
        let location = match places.find(|(file, _)| Path::new(file).is_file()) {
            Some((file, line)) => {
                json!({ "artifactLocation": { "uri": file_uri(Path::new(file)) }, "region": { "startLine": line } })
            }
            None => json!({ "artifactLocation": { "uri": file_uri(program) } }),
        };
        let message = [text("sentence"), text("text"), "Remedy:", text("remedy")];
        json!({
            "ruleId": text("rule"),
            "ruleIndex": RULES.iter().position(|row| row.id == text("rule")),
            "level": "error",
            "message": { "text": format!("{}: {}", text("call"), message.join(" ")) },
            "locations": [{ "physicalLocation": location }],
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cuda-external-check",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": format!("{}/check/index.html", GUIDE_URL),
                "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
            } },
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// The file and the line of a frame: `function at file:line [0x1234] in /path/of/the/module`, or
/// `File "file", line 1, in function`.
fn source_line_of(frame: &str) -> Option<(&str, u64)> {
    let (file, line) = match frame.strip_prefix("File \"") {
        Some(python) => python.rsplit_once(", in ")?.0.rsplit_once("\", line ")?,
        None => frame.split_once(" at ")?.1.rsplit_once(" [0x")?.0.rsplit_once(':')?,
    };
    Some((file, line.parse().ok().filter(|line| *line > 0)?))
}

/// Returns a path relative to the current directory, as code hosts need it, or an absolute URI for a file elsewhere.
fn file_uri(path: &Path) -> String {
    let here = env::current_dir().unwrap_or_default();
    let below = path.strip_prefix(&here).or(path.strip_prefix(".")).unwrap_or(path);
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b'+' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    let path: String = below.as_os_str().as_bytes().iter().copied().map(escape).collect();
    if path.starts_with('/') { format!("file://{path}") } else { path }
}

#[test]
fn a_path_of_any_bytes_has_an_address() {
    let path = std::ffi::OsStr::from_bytes(b"/a b/caf\xe9\nx.c");
    assert_eq!(file_uri(Path::new(path)), "file:///a%20b/caf%E9%0Ax.c");
}
