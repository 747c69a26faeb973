//! Locates cuda.h in the environment and the file system, and returns a usable header or the reasons why there is none.
//!
//! The modules print nothing and ask pkg-config through the caller, so that tests can search fake file trees.
//! `environment` has the inputs of the search. `rerun_variables` returns the variables of the search and of libclang
//! that cargo must watch. `search_places` has the places where cuda.h may be. `cuda_header` reads the release from a
//! cuda.h, and `cuda_release` has the type of a release. `search` tries the places until the caller can use a header.
//! `outcome` turns the search into a result with warnings or into an error, and `error_messages` writes the errors.

pub mod cuda_header;
mod cuda_release;
pub mod environment;
mod error_messages;
mod outcome;
mod rerun_variables;
mod search;
mod search_places;

pub use cuda_release::CudaRelease;
pub use environment::{BuildTarget, SearchEnvironment};
pub use rerun_variables::rerun_variables;
pub use search::{HeaderRefusal, ToolkitSearch, UsableToolkit};
