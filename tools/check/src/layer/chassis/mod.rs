//! What all wrapped calls share: the process's locked state, the call's findings, and the reports of second closes.

pub mod context_state;
pub mod double_close;
pub mod layer_call;
pub mod on_success;
pub mod process_state;
pub mod wrapped_call;
