//! What all wrapped calls share: their macro, the process's locked state, the call's findings, and the reports of
//! second closes.

pub mod context_teardown;
pub mod double_close;
pub mod on_success;
pub mod process_state;
pub mod wrapped_call;
