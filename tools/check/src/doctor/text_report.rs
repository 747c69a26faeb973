//! Formats the report of `--machine` as text: a line for each known fact, with the fact's name in the JSON report.

use std::fmt::Write;

use serde_json::Value;

use super::remedy::MachineFix;

/// The title of each section of the text, and the name of the section's facts in `facts`.
const SECTIONS: [(&str, &str); 5] = [
    ("CUDA", "cuda"),
    ("Vulkan", "vulkan"),
    ("OpenGL", "opengl"),
    ("Round trips", "round_trips"),
    ("Environment", "environment"),
];

pub fn format_report(facts: &Value, next: &MachineFix) -> String {
    let mut text = String::new();
    let mut print = |link: &str, lines: &[String]| {
        for (at, line) in lines.iter().enumerate() {
            _ = writeln!(text, "{:12}{line}", if at == 0 { link } else { "" });
        }
    };
    for (link, name) in SECTIONS {
        let mut lines = Vec::new();
        add_fact_lines(&mut lines, name, &facts[name]);
        if lines.is_empty() {
            lines.push("none".to_owned());
        }
        print(link, &lines);
    }
    print("Next", &[next.sentence.clone(), next.see.clone()]);
    text
}

/// Adds a line for a fact, for each fact of an object, or for each entry of a list. Adds none for null and false.
fn add_fact_lines(lines: &mut Vec<String>, name: &str, value: &Value) {
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::Object(facts) if !facts.contains_key("sentence") => {
            facts.iter().for_each(|(name, value)| add_fact_lines(lines, name, value));
        }
        Value::Array(all) => {
            let one = name.replace("ies", "y");
            let one = one.strip_suffix('s').unwrap_or(&one);
            lines.extend(
                all.iter().enumerate().map(|(at, value)| format!("{one} {at}: {}", format_json_fact(value))),
            );
        }
        value => lines.push(format!("{name}: {}", format_json_fact(value))),
    }
}

fn format_json_fact(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(is) => if *is { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().map(format_json_fact).collect::<Vec<_>>().join(" "),
        Value::Object(facts) if facts.contains_key("sentence") => format_json_fact(&facts["sentence"]),
        // The value of the fact `name` comes first.
        Value::Object(facts) => {
            let others = facts.iter().filter(|(name, _)| *name != "name");
            let others = others.map(|(name, value)| format!("{name} {}", format_json_fact(value)));
            let name = facts.get("name").map(format_json_fact).filter(|name| !name.is_empty());
            Vec::from_iter(name.into_iter().chain(others)).join(", ")
        }
        Value::Number(number) => number.to_string(),
    }
}
