//! The facts that the exporter and the importer state about one object, and the comparison of these facts.

use cuda_external_sys::CUuuid;

use crate::object_description::ObjectKind;
use crate::rules::{Rule, rules};

rules! {
    SIZE_DIFFERS 37 "size-differs" BOTH_SIDES Manual "cuImportExternalMemory" ByDefault
        "Memory is imported with a size that is not the size of the other API's allocation."
        "Import the memory with the size of the whole allocation (VkMemoryAllocateInfo::allocationSize, or the size \
         passed to cuMemCreate), not with the size of a buffer or image.";
    DEDICATED_DIFFERS 38 "dedicated-differs" BOTH_SIDES Guide "Vulkan, Importing Memory Objects" ByDefault
        "One API describes shared memory as dedicated, and the other one does not."
        "Set CUDA_EXTERNAL_MEMORY_DEDICATED if and only if VkMemoryDedicatedAllocateInfo was used.";
    HANDLE_TYPE_DIFFERS 39 "handle-type-differs" BOTH_SIDES Manual "cuImportExternalMemory" ByDefault
        "A descriptor is imported with a handle type that does not match its export: for example, a dma-buf or a sync \
         file as OPAQUE_FD, or memory as a semaphore."
        "Import memory as memory, and a semaphore as a semaphore. For CUDA's types OPAQUE_FD and \
         TIMELINE_SEMAPHORE_FD, export from Vulkan as OPAQUE_FD.";
    SEMAPHORE_TYPE_DIFFERS 40 "semaphore-type-differs" BOTH_SIDES Manual "CUexternalSemaphoreHandleType" ByDefault
        "A binary semaphore is imported as a timeline semaphore, or a timeline semaphore as a binary one."
        "In CUDA use TIMELINE_SEMAPHORE_FD for VK_SEMAPHORE_TYPE_TIMELINE, and OPAQUE_FD for binary semaphores. In \
         Vulkan import into a semaphore of the exporter's type.";
    DEVICE_DIFFERS 41 "device-differs" BOTH_SIDES Guide "Vulkan, Matching Device UUIDs" ByDefault
        "The device that imports memory or a semaphore is not the device that exported it."
        "Choose the CUDA device whose UUID is VkPhysicalDeviceIDProperties::deviceUUID.";
}

/// The facts that the exporter or the importer states about an object. `None`: not stated, or not to be compared.
pub struct SharedObjectFacts {
    pub is_of_cuda: bool,
    pub kind: ObjectKind,
    pub handle: HandleClass,
    pub size: Option<u64>,
    pub is_dedicated: Option<bool>,
    pub is_timeline: Option<bool>,
    pub uuid: Option<[u8; 16]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleClass {
    Opaque,
    DmaBuf,
    SyncFile,
}

pub fn api_name(is_of_cuda: bool) -> &'static str {
    if is_of_cuda { "CUDA" } else { "Vulkan" }
}

/// Returns the contradictions between the facts of an import and those of its export, each with the rule it breaks.
pub fn compare_facts(export: &SharedObjectFacts, import: &SharedObjectFacts) -> Vec<(&'static Rule, String)> {
    let both = [export, import];
    let [exporter, importer] = both.map(|of| api_name(of.is_of_cuda));
    let mut found = Vec::new();
    let mut compare = |rule, what: &str, facts: [Option<String>; 2]| {
        if let [Some(of_export), Some(of_import)] = facts {
            if of_export != of_import {
                let text = format!(
                    "{what}: {of_import} in {importer}'s import, {of_export} in {exporter}'s export."
                );
                found.push((rule, text));
            }
        }
    };
    let named = |is: Option<bool>, names: [&str; 2]| is.map(|is| names[usize::from(is)].to_owned());
    let is_semaphore = both.map(|of| Some(of.kind == ObjectKind::Semaphore));
    compare(Rule::HANDLE_TYPE_DIFFERS, "Kind", is_semaphore.map(|is| named(is, ["memory", "a semaphore"])));
    if export.kind == import.kind {
        let handle = |of: &SharedObjectFacts| match of.handle {
            HandleClass::Opaque => "opaque",
            HandleClass::DmaBuf => "a dma-buf",
            HandleClass::SyncFile => "a sync file",
        };
        compare(Rule::HANDLE_TYPE_DIFFERS, "Descriptor", both.map(|of| Some(handle(of).to_owned())));
        compare(Rule::SIZE_DIFFERS, "Bytes", both.map(|of| of.size.map(|size| size.to_string())));
        let dedicated = both.map(|of| named(of.is_dedicated, ["not dedicated", "dedicated"]));
        compare(Rule::DEDICATED_DIFFERS, "Allocation", dedicated);
        let timeline = both.map(|of| named(of.is_timeline, ["binary", "a timeline"]));
        compare(Rule::SEMAPHORE_TYPE_DIFFERS, "Semaphore", timeline);
        let uuid = both.map(|of| of.uuid.map(|uuid| CUuuid::from(uuid).to_string()));
        compare(Rule::DEVICE_DIFFERS, "Device", uuid);
    }
    found
}
