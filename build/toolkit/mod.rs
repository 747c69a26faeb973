//! Locates cuda.h. Takes the environment and the file system, returns a usable header or the reasons why not.
//!
//! Nothing is printed here, and the caller's functions start the processes, so that tests can search fake machines.
//! `environment` has the variables, `rerun_variables` those that cargo must watch, and `search_places` the places in
//! their order. `pkg_config_packages` runs that program; `cuda_header` reads a cuda.h. `search` takes the places until
//! the caller can use a header. `outcome` says what that means for the build, and `error_messages` writes the messages.

pub mod cuda_header;
pub mod environment;
mod error_messages;
mod outcome;
mod pkg_config_packages;
mod rerun_variables;
mod search;
mod search_places;
mod version_number;

pub use environment::{BuildTarget, SearchEnvironment};
pub use rerun_variables::rerun_variables;
pub use search::{HeaderRefusal, ToolkitSearch, UsableToolkit};
pub use version_number::CudaRelease;
