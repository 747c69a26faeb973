//! How the program describes an import or a mapping.

use std::ffi::c_uint;
use std::fmt::{self, Display};

use cuda_external_in_process::newest_release::ARRAY_FLAGS;
use cuda_external_sys::*;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::WrappedCall;
use crate::object_description::{ObjectDescription, ObjectKind};
use crate::rules::Rule;

/// The fields that the descriptions of all kinds have.
pub struct DescFields {
    pub about: ObjectDescription,
    pub flags: u32,
    known_flags: u32,
    reserved_is_zero: bool,
}

impl DescFields {
    fn new(about: ObjectDescription, flags: u32, known_flags: u32, reserved: [c_uint; 16]) -> Self {
        Self { about, flags, known_flags, reserved_is_zero: reserved == [0; 16] }
    }

    /// Reports a field that must be zero and is not, whatever the driver says.
    pub fn check_reserved(&self, call: &WrappedCall<'_>, state: &mut ProcessState) {
        if !self.reserved_is_zero {
            let text = "A reserved field of the description is not zero.";
            state.report(call.finding(Rule::ReservedNotZero, text));
        }
    }

    /// Reports flags for which the driver may have refused it.
    pub fn explain_flags(&self, call: &WrappedCall<'_>, state: &mut ProcessState, code: CUresult) {
        if self.flags & !self.known_flags != 0 {
            let text = format!("The flags are {:#x}; the call returned {code:?}.", self.flags);
            state.report(call.finding(Rule::UnknownFlags, text));
        }
    }
}

/// Prints in the form of `--log`.
impl Display for DescFields {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{{ {}, flags: {:#x} }}", self.about, self.flags)
    }
}

impl From<&CUDA_EXTERNAL_MEMORY_HANDLE_DESC> for DescFields {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> Self {
        let of_fds = [CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD];
        // SAFETY: any bytes are a number.
        let fd = of_fds.contains(&desc.type_).then_some(unsafe { desc.handle.fd });
        let is_dedicated = desc.flags & CUDA_EXTERNAL_MEMORY_DEDICATED != 0;
        let about = ObjectDescription::import(ObjectKind::Memory, desc.type_.0, fd, desc.size, is_dedicated);
        Self::new(about, desc.flags, CUDA_EXTERNAL_MEMORY_DEDICATED, desc.reserved)
    }
}

impl From<&CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC> for DescFields {
    fn from(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> Self {
        let of_fds = [
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
        ];
        // SAFETY: any bytes are a number.
        let fd = of_fds.contains(&desc.type_).then_some(unsafe { desc.handle.fd });
        Self::new(
            ObjectDescription::import(ObjectKind::Semaphore, desc.type_.0, fd, 0, false),
            desc.flags,
            0,
            desc.reserved,
        )
    }
}

impl From<&CUDA_EXTERNAL_MEMORY_BUFFER_DESC> for DescFields {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> Self {
        Self::new(ObjectDescription::buffer(desc), desc.flags, 0, desc.reserved)
    }
}

impl From<&CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC> for DescFields {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> Self {
        Self::new(ObjectDescription::array(desc), desc.arrayDesc.Flags, ARRAY_FLAGS, desc.reserved)
    }
}
