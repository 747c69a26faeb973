//! The frame of each wrapped call: the locked state of the process, the findings of the call, and the reports of
//! second closes.

pub mod context_state;
pub mod double_close;
pub mod layer_call;
pub mod on_success;
pub mod process_state;
pub mod wrapped_call;
