//! Locates cuda.h in the environment and the file system, and returns a usable header or the reasons why there is none.
//!
//! The modules print nothing, and ask pkg-config through a function of the caller: tests can search fake file trees.

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
