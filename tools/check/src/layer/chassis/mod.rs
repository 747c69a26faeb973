//! What a call of a wrapped function goes through: the locked state of the process, the findings of the call, the
//! calls of `close`.

pub mod context_state;
pub mod double_close;
pub mod layer_call;
pub mod on_success;
pub mod process_state;
pub mod wrapped_call;
