//! The command line: the options, and the program with its arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use cuda_external_check::options::{Options, rules};
use cuda_external_check::rules::RULES;

pub const HELP: &str = "\
Runs a program, and reports its mistakes with CUDA's external memory and semaphores.

usage: cuda-external-check [options] [--] program [arguments]

  --error-exitcode N  exit with N where something was found, with the program's own code where N is 0
                      (without it: 1 where something was found and the program itself succeeded)
  --suppress RULES    leave rules out: names with commas between them; may be repeated
  --enable RULES      report also rules that correct programs may break with care: mapping-overlap,
                      wait-before-signal, hand-over
  --require           exit with 3 where no call was checked, or a process used the driver past the check, and the
                      program itself succeeded
  --json FILE         write the findings to FILE
  --log               print each call of the family with its arguments
  --sync              wait for the work of each call, so that an error of it is reported where it arises
  --let-crash         call the driver also where it may crash
  --driver FILE       the driver's library, in place of the one that is found
  --list-rules        print the rules with what to do
  --version           print the version
  --help              print this

Processes that the program starts are checked too. Reports go to stderr.";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    Print(String),
    Run(Box<Run>),
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub error_code: Option<u8>,
    pub require: bool,
    pub json: Option<PathBuf>,
    pub driver: Option<PathBuf>,
    pub options: Options,
}

/// Reads the arguments behind the program's own name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Request, String> {
    let mut arguments = arguments.into_iter();
    let mut run = Run::default();
    while let Some(argument) = arguments.next() {
        let bytes = argument.as_encoded_bytes();
        let at = bytes.iter().position(|byte| *byte == b'=').filter(|_| bytes.starts_with(b"--"));
        let option = String::from_utf8_lossy(&bytes[..at.unwrap_or(bytes.len())]).into_owned();
        let option = option.as_str();
        // SAFETY: the rest behind an ASCII character.
        let joined = at.map(|at| unsafe { OsString::from_encoded_bytes_unchecked(bytes[at + 1..].to_vec()) });
        let mut value =
            || joined.clone().or_else(|| arguments.next()).ok_or_else(|| format!("{option} needs a value"));
        match option {
            "--help" | "-h" => return Ok(Request::Print(HELP.to_owned())),
            "--version" => {
                return Ok(Request::Print(format!("cuda-external-check {}", env!("CARGO_PKG_VERSION"))));
            }
            "--list-rules" => return Ok(Request::Print(list())),
            "--error-exitcode" => {
                let value = value()?;
                let code = value.to_str().and_then(|value| value.parse().ok());
                run.error_code =
                    Some(code.ok_or_else(|| format!("{option} is from 0 to 255, not {value:?}"))?);
            }
            "--suppress" => run.options.suppressed |= rules(&value()?.to_string_lossy())?,
            "--enable" => run.options.enabled |= rules(&value()?.to_string_lossy())?,
            "--json" => run.json = Some(value()?.into()),
            "--driver" => run.driver = Some(value()?.into()),
            "--require" => run.require = true,
            "--log" => run.options.log = true,
            "--sync" => run.options.sync = true,
            "--let-crash" => run.options.let_crash = true,
            "--" => {
                run.program = arguments.next().ok_or("no program is named behind --")?;
                break;
            }
            _ if option.starts_with('-') => {
                return Err(format!("{option} is not an option; --help lists them"));
            }
            _ => {
                run.program = argument;
                break;
            }
        }
    }
    if run.program.is_empty() {
        return Err("no program is named; --help shows the options".to_owned());
    }
    run.arguments = arguments.collect();
    Ok(Request::Run(Box::new(run)))
}

fn list() -> String {
    let row = |row: &cuda_external_check::rules::Row| {
        format!("{} ({})\n    {}\n    Remedy: {}\n", row.id, row.source.name(), row.sentence, row.remedy)
    };
    RULES.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Request, String> {
        parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_end_where_the_program_begins() {
        let expected = Run {
            program: "prog".into(),
            arguments: vec!["--log".into(), "--".into()],
            error_code: Some(7),
            json: Some("out.json".into()),
            require: true,
            driver: None,
            options: Options {
                suppressed: rules("not-freed,fd-not-open").unwrap(),
                enabled: rules("mapping-overlap").unwrap(),
                sync: true,
                ..Options::default()
            },
        };
        let line = "--error-exitcode 7 --suppress=not-freed --suppress fd-not-open --enable mapping-overlap --json=out.json --require --sync prog --log --";
        assert_eq!(of(line), Ok(Request::Run(Box::new(expected))));
        let Ok(Request::Run(run)) = of("-- --log x") else { panic!("a program may begin with --") };
        assert_eq!((run.program, run.arguments), ("--log".into(), vec!["x".into()]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, message) in [
            ("", "no program is named"),
            ("--", "no program is named behind --"),
            ("--nonsense prog", "--nonsense is not an option"),
            ("--suppress nonsense prog", "`nonsense` is not a rule"),
            ("--error-exitcode 256 prog", "--error-exitcode is from 0 to 255"),
            ("--json", "--json needs a value"),
        ] {
            let error = of(line).unwrap_err();
            assert!(error.starts_with(message), "{line}: {error}");
        }
    }
}
