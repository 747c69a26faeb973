//! Searches one place after another, until the bindings can be generated from a header.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::cuda_header::{self, CudaHeaderError};
use super::cuda_release::{CudaRelease, OLDEST};
use super::environment::SearchEnvironment;
use super::search_places::{STEPS, SearchPlace, split_at_semicolons};

/// A cuda.h that is new enough and can be read.
pub struct UsableToolkit {
    /// The directory that holds cuda.h.
    pub include: PathBuf,
    /// The toolkit's root, above that directory, if there is one.
    pub root: Option<PathBuf>,
    pub version: CudaRelease,
    /// How the search found the toolkit: `by CUDA_HOME`, `by nvcc on PATH`, `in /usr/local/cuda`.
    pub found_by: String,
    /// A sentence about later variables that do not lead to the cuda.h in `include`, if a variable led to this toolkit.
    pub disagreement: Option<String>,
}

/// The reason why the bindings could not be generated from a header.
pub struct HeaderRefusal {
    /// The reason, in one line.
    pub why: String,
    /// The message of clang or of libclang's loader.
    pub output: String,
    /// Whether libclang is missing or unusable, so that no other header can be read either.
    pub is_libclang_fault: bool,
}

/// An unusable toolkit that the search found, or a variable that leads to no toolkit.
#[derive(Default)]
pub struct PassedOverToolkit {
    /// A path, or a variable with its value.
    pub what: String,
    /// The same as [`UsableToolkit::found_by`]; empty if `what` is a variable.
    pub found_by: String,
    /// The reason, in one line.
    pub why: String,
    /// The output of clang or of libclang's loader; often empty.
    pub output: String,
}

impl PassedOverToolkit {
    pub fn path_and_origin(&self) -> String {
        let Self { what, found_by, .. } = self;
        if found_by.is_empty() { what.clone() } else { format!("{what}, found {found_by}") }
    }
}

/// The result of a search: the toolkit in use, and the places that did not lead to it.
pub struct ToolkitSearch<'a> {
    pub environment: &'a SearchEnvironment<'a>,
    /// The toolkit that the bindings were generated from, and the bindings' text.
    pub used: Option<(UsableToolkit, String)>,
    /// Every place in which the search found no usable header, with the reason.
    pub looked_at: Vec<(String, String)>,
    pub passed_over: Vec<PassedOverToolkit>,
    /// Whether libclang is missing or unusable, which ends the search.
    pub lacks_libclang: bool,
    /// Every cuda.h that was read, so that cargo can watch it.
    pub headers: Vec<PathBuf>,
    seen: Vec<PathBuf>,
}

impl<'a> ToolkitSearch<'a> {
    /// Tries one place after another, until `generate` makes bindings from a header, or finds no usable libclang.
    pub fn search_all_places(
        environment: &'a SearchEnvironment<'a>,
        generate: &mut dyn FnMut(&UsableToolkit) -> Result<String, HeaderRefusal>,
    ) -> Self {
        let mut search = Self {
            environment,
            used: None,
            looked_at: Vec::new(),
            passed_over: Vec::new(),
            lacks_libclang: false,
            headers: Vec::new(),
            seen: Vec::new(),
        };
        // If CUDA_EXTERNAL_SYS_INCLUDE_DIR is set, the search tries no other place.
        let steps = if environment.own_include_directory().is_some() { &STEPS[..1] } else { &STEPS[..] };
        for step in steps {
            for place in step(environment) {
                let Some(toolkit) = search.examine_place(place) else { continue };
                match generate(&toolkit) {
                    Ok(text) => {
                        search.used = Some((toolkit, text));
                        return search;
                    }
                    Err(refusal) => search.pass_over_toolkit(&toolkit, refusal),
                }
                if search.lacks_libclang {
                    return search;
                }
            }
        }
        search
    }

    fn pass_over_toolkit(&mut self, toolkit: &UsableToolkit, refusal: HeaderRefusal) {
        let HeaderRefusal { why, output, is_libclang_fault } = refusal;
        let path = toolkit.include.join("cuda.h").display().to_string();
        self.looked_at.push((path.clone(), why.clone()));
        self.passed_over.push(PassedOverToolkit {
            what: path,
            found_by: toolkit.found_by.clone(),
            why,
            output,
        });
        self.lacks_libclang |= is_libclang_fault;
    }

    fn examine_place(&mut self, place: SearchPlace) -> Option<UsableToolkit> {
        match place {
            SearchPlace::Unavailable { what, why } => {
                self.looked_at.push((what, why));
                None
            }
            SearchPlace::Include { path, found_by } => {
                self.look_in_include(&path, root_of_include_directory(&path), &found_by)
            }
            SearchPlace::Root { path, found_by } => self.look_under_root(&path, &found_by),
            SearchPlace::Variable { name, value, is_include, others } => {
                let (looked_at, passed_over) = (self.looked_at.len(), self.passed_over.len());
                if let Some(mut toolkit) = self.examine_variable(name, &value, is_include) {
                    toolkit.disagreement = self.describe_other_headers(&toolkit, name, &value, &others);
                    return Some(toolkit);
                }
                // The variable leads to no toolkit. Adds the variable to `passed_over`, unless the search has just
                // added a path of the variable to `passed_over`, had looked at such a path before, or found no path in
                // the variable.
                let reasons = &self.looked_at[looked_at..];
                let is_new = !reasons.is_empty() && reasons.iter().all(|(_, why)| why != SEEN);
                if self.passed_over.len() == passed_over && is_new {
                    let why = match reasons {
                        [(_, why)] => why.clone(),
                        _ => "no cuda.h below it".to_owned(),
                    };
                    let what = format!("{name}={}", value.display());
                    self.passed_over.push(PassedOverToolkit { what, why, ..PassedOverToolkit::default() });
                }
                None
            }
        }
    }

    fn examine_variable(&mut self, name: &str, value: &Path, is_include: bool) -> Option<UsableToolkit> {
        let found_by = format!("by {name}");
        let paths = if is_include { vec![value.to_path_buf()] } else { split_at_semicolons(value) };
        paths.iter().find_map(|path| {
            if !path.is_absolute() {
                // A relative path would start at the package's directory, which for a dependency is in cargo's cache.
                self.record_place_looked_at(path, "not an absolute path");
                None
            } else if is_include {
                self.look_in_include(path, root_of_include_directory(path), &found_by)
            } else if let Some(why) = self.why_no_include(path) {
                self.record_search_error(path, path, &found_by, CudaHeaderError::Absent(why.to_owned()));
                None
            } else {
                self.look_under_root(path, &found_by)
            }
        })
    }

    /// Returns why a directory is not a toolkit's root, if the directory has no include directory.
    fn why_no_include(&self, root: &Path) -> Option<&'static str> {
        let is_gone =
            |path: &PathBuf| path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let has_none = root.is_dir() && self.environment.target.includes_below_root(root).iter().all(is_gone);
        let has_header = root.join("cuda.h").is_file();
        let why = if has_header {
            "cuda.h is in it: name the directory above it"
        } else {
            "no include directory in it"
        };
        has_none.then_some(why)
    }

    fn look_under_root(&mut self, root: &Path, found_by: &str) -> Option<UsableToolkit> {
        // `seen` must not record a file here: the file is no root, but may be a cuda.h to which a later place leads.
        if !root.is_file() && self.was_directory_seen(root) {
            return None;
        }
        if let Err(error) = cuda_header::check_is_directory(root) {
            self.record_search_error(root, root, found_by, error);
            return None;
        }
        let includes = self.environment.target.includes_below_root(root);
        includes.iter().find_map(|include| self.look_in_include(include, Some(root.to_path_buf()), found_by))
    }

    fn look_in_include(
        &mut self,
        include: &Path,
        root: Option<PathBuf>,
        found_by: &str,
    ) -> Option<UsableToolkit> {
        let path = include.join("cuda.h");
        if self.was_directory_seen(&path) {
            return None;
        }
        if path.is_file() && why_unusable_path(&path).is_none() {
            self.headers.push(path.clone());
        }
        match cuda_header::read_cuda_version(include).and_then(|version| check_header(&path, version)) {
            Ok(version) => {
                let (include, found_by) = (include.to_path_buf(), found_by.to_owned());
                Some(UsableToolkit { include, root, version, found_by, disagreement: None })
            }
            Err(error) => {
                self.record_search_error(include, &path, found_by, error);
                None
            }
        }
    }

    /// Returns whether the search has tried a path before. Records the path in `looked_at` if so, and in `seen`
    /// otherwise. A file counts as tried if the search has tried any path to the file.
    fn was_directory_seen(&mut self, path: &Path) -> bool {
        // The path of a directory is not made canonical: the report lists two paths to one root separately.
        let real =
            path.canonicalize().ok().filter(|real| real.is_file()).unwrap_or_else(|| path.to_path_buf());
        let was_directory_seen = self.seen.contains(&real);
        if was_directory_seen {
            self.record_place_looked_at(path, SEEN);
        } else {
            self.seen.push(real);
        }
        was_directory_seen
    }

    /// Records the reason in `looked_at`, and if the header or directory is unusable, not absent, in `passed_over` too.
    fn record_search_error(&mut self, place: &Path, path: &Path, found_by: &str, error: CudaHeaderError) {
        let (CudaHeaderError::Absent(why) | CudaHeaderError::Unusable(why)) = &error;
        self.record_place_looked_at(place, why);
        if let CudaHeaderError::Unusable(why) = error {
            let (what, found_by) = (path.display().to_string(), found_by.to_owned());
            self.passed_over.push(PassedOverToolkit { what, found_by, why, output: String::new() });
        }
    }

    fn record_place_looked_at(&mut self, path: &Path, why: &str) {
        self.looked_at.push((path.display().to_string(), why.to_owned()));
    }

    /// Returns a sentence about those variables in `others` that do not lead to the cuda.h of `used`, if there are any.
    fn describe_other_headers(
        &self,
        used: &UsableToolkit,
        name: &str,
        value: &Path,
        others: &[(&str, PathBuf)],
    ) -> Option<String> {
        let header = |include: &Path| include.join("cuda.h").canonicalize().ok();
        let is_used = |include: &PathBuf| header(include).is_some_and(|it| Some(it) == header(&used.include));
        let agrees = |root: &PathBuf| self.environment.target.includes_below_root(root).iter().any(is_used);
        let mut disagree = Vec::new();
        for (name, value) in others {
            if !split_at_semicolons(value).iter().any(agrees) {
                disagree.push(format!("{name}={}", value.display()));
            }
        }
        (!disagree.is_empty()).then(|| {
            format!("{name}={} is used; it disagrees with {}", value.display(), disagree.join(" and "))
        })
    }
}

/// The reason in the report for a path that was looked at before.
const SEEN: &str = "looked at already";

/// Checks that a header is new enough, and that libclang and cargo can use its path.
fn check_header(path: &Path, version: CudaRelease) -> Result<CudaRelease, CudaHeaderError> {
    if let Some(why) = why_unusable_path(path) {
        return Err(CudaHeaderError::Unusable(why.to_owned()));
    }
    if version < OLDEST {
        let why = format!("CUDA {version} is older than CUDA {OLDEST}, the oldest supported release");
        return Err(CudaHeaderError::Unusable(why));
    }
    Ok(version)
}

/// Returns why libclang cannot open a path, or cargo cannot watch it.
fn why_unusable_path(path: &Path) -> Option<&'static str> {
    match path.to_str() {
        None => Some("its path is not valid UTF-8, which libclang requires"),
        Some(path) if path.contains(char::is_control) => {
            Some("its path contains a control character, which Cargo's build scripts cannot pass on")
        }
        Some(_) => None,
    }
}

/// Returns the directory above a directory called `include`.
fn root_of_include_directory(include: &Path) -> Option<PathBuf> {
    let is_include = include.file_name().is_some_and(|name| name == "include");
    include.parent().filter(|_| is_include).map(Path::to_path_buf)
}
