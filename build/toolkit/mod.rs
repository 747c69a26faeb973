//! Locates cuda.h in the environment and the file system, and returns a usable header or the reasons why there is none.
//!
//! The modules print nothing and ask pkg-config through the caller, so that tests can search fake file trees.
//! `environment` has the search's inputs. `rerun_variables` returns the search's, libclang's and bindgen's variables
//! that cargo must watch. `search_places` has the possible places of cuda.h. `cuda_header` reads the release from a
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
