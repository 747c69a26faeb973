//! Imported semaphores, and the parameters of signals and waits.

#[cfg(unix)]
use std::os::fd::{IntoRawFd, OwnedFd};
#[cfg(unix)]
use std::ptr;

use cuda_external_sys::*;

use super::primary_context::assert_teardown_succeeded;
#[cfg(unix)]
use crate::Result;

/// Imports a semaphore by a file descriptor. A failure may leak `fd`, as in [`import_memory`](super::import_memory).
#[cfg(unix)]
pub fn import_semaphore(
    fd: OwnedFd,
    type_: CUexternalSemaphoreHandleType,
) -> std::result::Result<CUexternalSemaphore, CUresult> {
    let mut desc = CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC { type_, ..Default::default() };
    desc.handle.fd = fd.into_raw_fd();
    let mut semaphore = ptr::null_mut();
    // SAFETY: both pointers are to variables that outlive the call, and nothing else uses the descriptor.
    unsafe { cuImportExternalSemaphore(&mut semaphore, &desc) }.result().map(|()| semaphore)
}

/// An imported semaphore. Dropping this value destroys the import. No signal and no wait may be outstanding then.
pub struct ImportedSemaphore {
    raw: CUexternalSemaphore,
}

impl ImportedSemaphore {
    /// Imports a semaphore by a file descriptor of the given type: see [`import_semaphore`].
    #[cfg(unix)]
    pub fn from_fd(fd: OwnedFd, type_: CUexternalSemaphoreHandleType) -> Result<Self> {
        // SAFETY: nothing else has the handle.
        Ok(unsafe { Self::from_raw(import_semaphore(fd, type_)?) })
    }

    /// Takes ownership of an import.
    ///
    /// # Safety
    ///
    /// Nothing else may destroy the import, and no work that uses it may be outstanding when this value is dropped.
    pub unsafe fn from_raw(raw: CUexternalSemaphore) -> Self {
        Self { raw }
    }

    pub fn raw(&self) -> CUexternalSemaphore {
        self.raw
    }
}

impl Drop for ImportedSemaphore {
    fn drop(&mut self) {
        // SAFETY: the semaphore is destroyed once, when no work that uses it is outstanding.
        assert_teardown_succeeded(&[unsafe { cuDestroyExternalSemaphore(self.raw) }]);
    }
}

/// Parallel arrays for CUDA's wait and signal functions. CUDA ignores `fence.value` for a binary semaphore.
pub struct SignalWaitArrays {
    semaphores: Vec<CUexternalSemaphore>,
    waits: Vec<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>,
    signals: Vec<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>,
}

impl SignalWaitArrays {
    /// Makes the arrays for these semaphores, each with the value to wait for or to signal.
    pub fn new(values: &[(&ImportedSemaphore, u64)]) -> Self {
        let mut waits = vec![CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS::default(); values.len()];
        let mut signals = vec![CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS::default(); values.len()];
        for (i, (_, value)) in values.iter().enumerate() {
            waits[i].params.fence.value = *value;
            signals[i].params.fence.value = *value;
        }
        Self { semaphores: values.iter().map(|(semaphore, _)| semaphore.raw()).collect(), waits, signals }
    }

    /// Returns the parameters of a wait node, with pointers to the arrays of `self`. CUDA copies the arrays.
    pub fn wait_node_params(&mut self) -> CUDA_EXT_SEM_WAIT_NODE_PARAMS {
        CUDA_EXT_SEM_WAIT_NODE_PARAMS {
            extSemArray: self.semaphores.as_mut_ptr(),
            paramsArray: self.waits.as_ptr(),
            numExtSems: self.semaphores.len() as u32,
        }
    }

    /// Returns the parameters of a signal node, with pointers to the arrays of `self`. CUDA copies the arrays.
    pub fn signal_node_params(&mut self) -> CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
        CUDA_EXT_SEM_SIGNAL_NODE_PARAMS {
            extSemArray: self.semaphores.as_mut_ptr(),
            paramsArray: self.signals.as_ptr(),
            numExtSems: self.semaphores.len() as u32,
        }
    }

    /// Returns the parameters of a wait node for `cuGraphAddNode`. The bytes that such a node does not use are zero.
    pub fn generic_wait_node_params(&mut self) -> CUgraphNodeParams {
        let CUDA_EXT_SEM_WAIT_NODE_PARAMS { extSemArray, paramsArray, numExtSems } = self.wait_node_params();
        let mut params = CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT, ..Default::default() };
        params.params.extSemWait =
            CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2 { extSemArray, paramsArray, numExtSems, ..Default::default() };
        params
    }

    /// Returns the parameters of a signal node for `cuGraphAddNode`. The bytes that such a node does not use are zero.
    pub fn generic_signal_node_params(&mut self) -> CUgraphNodeParams {
        let CUDA_EXT_SEM_SIGNAL_NODE_PARAMS { extSemArray, paramsArray, numExtSems } =
            self.signal_node_params();
        let mut params =
            CUgraphNodeParams { type_: CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL, ..Default::default() };
        params.params.extSemSignal =
            CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2 { extSemArray, paramsArray, numExtSems, ..Default::default() };
        params
    }
}
