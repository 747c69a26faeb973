//! The arguments of imports and mappings: the fields of the description, and the imported descriptor.

use std::ffi::c_uint;

use cuda_external_in_process::newest_release_constants::ARRAY_FLAGS;
use cuda_external_sys::*;

use crate::close_watch::CloseWatch;
use crate::layer::chassis::double_close::{self, FdImport};
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::chassis::wrapped_call::{LayerCall, WrappedCall};
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::fd_info::{FdInfo, inspect_fd};
use crate::object_description::{ObjectDescription, ObjectKind};
use crate::rules::{Rule, rules};

rules! {
    FD_NOT_OPEN 0 "fd-not-open" FILE_DESCRIPTORS Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a file descriptor that is not open."
        "Export a new descriptor for each import, and import the descriptor before anything closes it.";
    FD_IMPORTED_BEFORE 2 "fd-imported-before" FILE_DESCRIPTORS Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a descriptor that was imported before. If another file has that number now, a \
         memory import closes the other file (measured)."
        "Export a new descriptor for each import: a descriptor can be imported once.";
    RESERVED_NOT_ZERO 13 "reserved-not-zero" DESCRIPTIONS Measured "H100, H200" ByDefault
        "A reserved field of a struct that the driver reads is not zero."
        "Set the whole struct to zero before setting its fields (memset or = {0} in C, Default::default() in Rust). A \
         struct that is declared by hand must be as long as in cuda.h.";
    UNKNOWN_FLAGS 14 "unknown-flags" DESCRIPTIONS Measured "H100, H200" ByDefault
        "The flags in the description of an import or a mapping have an unknown bit, and the driver refused the call."
        "Use only the flags that the manual lists for the description's struct.";
}

/// Returns a finding's text about the first word that is not 0 in the reserved fields of a struct, if there is one.
/// `fields` has the offset and the words of each reserved field.
pub fn reserved_word_problem(name: &str, size: usize, fields: &[(usize, &[c_uint])]) -> Option<String> {
    let mut words = fields
        .iter()
        .flat_map(|(offset, words)| words.iter().enumerate().map(move |(at, word)| (offset + 4 * at, *word)));
    let (offset, word) = words.find(|(_, word)| *word != 0)?;
    Some(format!(
        "{name} has {word:#x} at offset {offset}, which is reserved. The driver reads {size} bytes. If the program \
         declares the struct by hand and shorter, the driver reads what follows the struct in memory."
    ))
}

/// Looks at the reserved fields of a struct. `$field` has the fields' names.
macro_rules! reserved_problem {
    ($of:expr, $struct:ident, $($($field:ident).+),+) => {
        $crate::layer::object_tracker::import_arguments::reserved_word_problem(
            stringify!($struct),
            size_of::<$struct>(),
            &[$((std::mem::offset_of!($struct, $($field).+), &$of.$($field).+)),+],
        )
    };
}
pub(crate) use reserved_problem;

/// The fields that the checks need from the program's description of an import or a mapping.
pub struct ImportDescFields {
    pub about: ObjectDescription,
    pub flags: u32,
    known_flags: u32,
    /// The text of a finding, if a reserved field is not 0.
    reserved: Option<String>,
    /// The 8 bytes before the field `size` of a memory import's description; 0 for other descriptions. If the program
    /// declares the union `handle` too short, these bytes are the size.
    pub before_size: u64,
}

impl ImportDescFields {
    fn new(about: ObjectDescription, flags: u32, known_flags: u32, reserved: Option<String>) -> Self {
        Self { about, flags, known_flags, reserved, before_size: 0 }
    }

    /// Reports a reserved field that is not 0, even if the driver accepts the value.
    pub fn check_reserved_zero(&self, call: &WrappedCall<'_>, state: &mut ProcessState) {
        if let Some(text) = &self.reserved {
            state.report_finding(call.new_finding(Rule::RESERVED_NOT_ZERO, text));
        }
    }

    /// Returns `before_size` if the program declares the union `handle` too short, and otherwise `None`. The sign of a
    /// short union: `before_size` is the exported size, and the field `size` has a value of the flags (0 or 1).
    pub fn size_before_short_union(&self, exported: Option<u64>) -> Option<u64> {
        let is_flag = self.about.object_kind() == ObjectKind::Memory && self.about.described_size() <= 1;
        exported.filter(|size| is_flag && *size > 1 && *size == self.before_size)
    }

    pub fn report_unknown_flags(&self, call: &WrappedCall<'_>, state: &mut ProcessState, code: CUresult) {
        if self.flags & !self.known_flags != 0 {
            let text = format!("The flags are {:#x}; the call returned {code:?}.", self.flags);
            state.report_finding(call.new_finding(Rule::UNKNOWN_FLAGS, text));
        }
    }
}

impl From<&CUDA_EXTERNAL_MEMORY_HANDLE_DESC> for ImportDescFields {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_HANDLE_DESC) -> Self {
        let of_fds = [CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD];
        // SAFETY: the union's fields are plain integers or pointers, for which every bit pattern is valid.
        let fd = of_fds.contains(&desc.type_).then_some(unsafe { desc.handle.fd });
        let is_dedicated = desc.flags & CUDA_EXTERNAL_MEMORY_DEDICATED != 0;
        let about =
            ObjectDescription::from_import(ObjectKind::Memory, desc.type_.0, fd, desc.size, is_dedicated);
        let reserved = reserved_problem!(desc, CUDA_EXTERNAL_MEMORY_HANDLE_DESC, reserved);
        // SAFETY: the union's fields are plain integers or pointers, for which every bit pattern is valid.
        let before_size = unsafe { desc.handle.win32.name }.addr() as u64;
        Self { before_size, ..Self::new(about, desc.flags, CUDA_EXTERNAL_MEMORY_DEDICATED, reserved) }
    }
}

impl From<&CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC> for ImportDescFields {
    fn from(desc: &CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC) -> Self {
        let of_fds = [
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
            CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
        ];
        // SAFETY: the union's fields are plain integers or pointers, for which every bit pattern is valid.
        let fd = of_fds.contains(&desc.type_).then_some(unsafe { desc.handle.fd });
        let about = ObjectDescription::from_import(ObjectKind::Semaphore, desc.type_.0, fd, 0, false);
        Self::new(
            about,
            desc.flags,
            0,
            reserved_problem!(desc, CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC, reserved),
        )
    }
}

impl From<&CUDA_EXTERNAL_MEMORY_BUFFER_DESC> for ImportDescFields {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_BUFFER_DESC) -> Self {
        let reserved = reserved_problem!(desc, CUDA_EXTERNAL_MEMORY_BUFFER_DESC, reserved);
        Self::new(ObjectDescription::from_buffer_desc(desc), desc.flags, 0, reserved)
    }
}

impl From<&CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC> for ImportDescFields {
    fn from(desc: &CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC) -> Self {
        let reserved = reserved_problem!(desc, CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC, reserved);
        Self::new(ObjectDescription::from_array_desc(desc), desc.arrayDesc.Flags, ARRAY_FLAGS, reserved)
    }
}

/// The descriptor that CUDA or Vulkan imports.
pub struct ImportedFd {
    pub fd: i32,
    pub look: FdInfo,
    /// The earlier import that closed a descriptor with this number, unless `fd` counts as a newer descriptor.
    closed_by: Option<FdImport>,
}

impl ImportedFd {
    pub fn inspect_import_fd(layer_call: &mut LayerCall, fd: i32) -> Self {
        // The driver closes the descriptor in this import. The layer must not record that call of `close`.
        CloseWatch::set_fd_watched(fd, false);
        let look = inspect_fd(fd);
        // `fd` counts as newer if its file may be an export. After a failed import, `fd` counts as newer if it is open.
        let closed_by = double_close::import_that_closed(layer_call.block_signals(), fd)
            .filter(|import| !(look.may_be_exported || import.has_failed && look.is_open));
        Self { fd, look, closed_by }
    }

    pub fn find_fd_problem(&self, call: &'static str, state: &ProcessState) -> Option<Finding> {
        let Self { fd, look, closed_by } = self;
        let now = if look.is_open { format!("is {} now", look.what) } else { "is not open".to_owned() };
        match closed_by {
            Some(import) if import.has_failed => {
                let text = format!("Descriptor {fd} is not open: a failed import closed the descriptor.");
                let finding = Finding::new(Rule::FD_NOT_OPEN, call, text);
                Some(finding.with_other_call("That import was in", &import.site))
            }
            Some(FdImport { object, site, .. }) => {
                let text = format!("Descriptor {fd} was closed by the driver in {}, and {now}.", site.call);
                let finding = Finding::new(Rule::FD_IMPORTED_BEFORE, call, text).about_object(*object);
                // `about_object` adds the call that imported a CUDA object. For an import by Vulkan, `object` is 0.
                Some(if *object == 0 { finding.with_other_call("That import was in", site) } else { finding })
            }
            None if look.is_open => None,
            None => {
                let finding = Finding::new(Rule::FD_NOT_OPEN, call, format!("Descriptor {fd} is not open."));
                let exported = state.vulkan.exported_fds.get(fd).map(|export| &export.site);
                Some(exported.into_iter().fold(finding, |finding, site| {
                    finding.with_other_call("The last descriptor with this number was exported by", site)
                }))
            }
        }
    }
}
