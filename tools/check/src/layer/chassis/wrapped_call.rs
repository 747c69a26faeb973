//! A call of a wrapped function: a layer call, and the driver's function of the same name.

use std::ops::{Deref, DerefMut};

use cuda_external_sys::*;

use crate::layer::chassis::context_state;
use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::error_messages::sticky_codes::is_sticky_code;

pub struct WrappedCall<'a> {
    /// The stream that a null handle names: PER_THREAD in functions with the suffix _ptsz or _ptds, otherwise LEGACY.
    pub default_stream: usize,
    driver: &'a dyn Fn() -> CUresult,
    layer_call: LayerCall,
}

impl<'a> WrappedCall<'a> {
    pub fn new(name: &'static str, default_stream: usize, driver: &'a dyn Fn() -> CUresult) -> Self {
        Self { default_stream, driver, layer_call: LayerCall::new(name) }
    }

    pub fn call_driver(&mut self) -> CUresult {
        self.call_replacement_function(self.driver)
    }

    /// Calls `driver`, which need not be the function that the program called. Records a sticky code that it returns.
    pub fn call_replacement_function(&mut self, driver: &dyn Fn() -> CUresult) -> CUresult {
        let code = self.layer_call.run_unlocked(driver);
        if is_sticky_code(code) {
            context_state::note_lost_context(&mut self.layer_call, code);
        }
        code
    }

    pub fn stream_key(&self, handle: CUstream) -> usize {
        if handle.is_null() { self.default_stream } else { handle.addr() }
    }
}

impl Deref for WrappedCall<'_> {
    type Target = LayerCall;
    fn deref(&self) -> &LayerCall {
        &self.layer_call
    }
}

impl DerefMut for WrappedCall<'_> {
    fn deref_mut(&mut self) -> &mut LayerCall {
        &mut self.layer_call
    }
}

/// The result of a wrapped function: `Ok` with the driver's code, or `Err` with the layer's code and no driver call.
pub type WrappedCallResult = Result<CUresult, CUresult>;

pub trait IntoResultCode {
    fn into_result_code(self) -> CUresult;
}

impl IntoResultCode for CUresult {
    fn into_result_code(self) -> CUresult {
        self
    }
}

impl IntoResultCode for WrappedCallResult {
    fn into_result_code(self) -> CUresult {
        self.unwrap_or_else(|code| code)
    }
}
