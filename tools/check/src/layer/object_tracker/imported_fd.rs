//! Inspects the descriptor that CUDA or Vulkan imports, and finds what is wrong with the descriptor.

use crate::layer::chassis::double_close::{self, FdImport};
use crate::layer::chassis::layer_call::LayerCall;
use crate::layer::chassis::process_state::ProcessState;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::fd_info::{FdInfo, inspect_fd};
use crate::layer::host_process::preload_link::set_watched;
use crate::rules::{Rule, rules};

rules! {
    FD_NOT_OPEN 0 "fd-not-open" FILE_DESCRIPTORS Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a file descriptor that is not open."
        "Export a new descriptor for each import, and import the descriptor before anything closes it.";
    FD_IMPORTED_BEFORE 2 "fd-imported-before" FILE_DESCRIPTORS Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a descriptor that was imported before. If another file has that number now, a \
         memory import closes the other file (measured)."
        "Export a new descriptor for each import: a descriptor can be imported once.";
}

pub struct ImportedFd {
    pub fd: i32,
    pub look: FdInfo,
    /// The earlier import that closed a descriptor with this number, unless `fd` counts as a newer descriptor.
    closed_by: Option<FdImport>,
}

impl ImportedFd {
    pub fn inspect_import_fd(layer_call: &mut LayerCall, fd: i32) -> Self {
        // The driver closes the descriptor in this import. The layer must not record that call of `close`.
        set_watched(fd, false);
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
