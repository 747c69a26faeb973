//! Each function of the driver is wrapped by the layer, or unwrapped_functions.txt has the reason why not.

use std::collections::BTreeSet;
use std::fs;

use cuda_external_check::layer;

use crate::support::write_expected_text;

/// Each reason is followed by its functions: names, or beginnings of names with a star. New functions come last.
const LIST: &str = "tools/check/tests/programs/unwrapped_functions.txt";

pub fn each_function_of_the_driver_is_wrapped_or_has_a_reason() {
    let mut unwrapped = BTreeSet::from_iter(build_script::driver_exports::driver_symbols().into_keys());
    for name in layer::wrapped_functions() {
        assert!(unwrapped.remove(name), "{name} is no function of the driver");
    }
    let is_match = |pattern: &str, name: &str| {
        pattern.strip_suffix('*').map_or(name == pattern, |start| name.starts_with(start))
    };
    let list = fs::read_to_string(test_support::repository().join(LIST)).expect("a list");
    let (mut text, mut unknown) = (String::new(), unwrapped.clone());
    for line in list.lines() {
        let mut words = Vec::from_iter(line.split(' '));
        if !line.starts_with('#') {
            words.retain(|pattern| unwrapped.iter().any(|name| is_match(pattern, name)));
            unknown.retain(|name| !words.iter().any(|pattern| is_match(pattern, name)));
        }
        if !words.is_empty() {
            text += &(words.join(" ") + "\n");
        }
    }
    text.extend(unknown.iter().map(|name| format!("{name}\n")));
    if text != list {
        let why =
            format!("{unknown:?} are neither wrapped nor listed, or a listed pattern matches no function");
        write_expected_text(LIST, &text, &why);
    }
}
