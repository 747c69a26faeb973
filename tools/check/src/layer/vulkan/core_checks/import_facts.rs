//! The facts that the exporter and the importer state about one object, and the comparison of these facts.

use cuda_external_sys::CUuuid;

use crate::object_description::ObjectKind;
use crate::rules::Rule;

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
pub fn find_contradictions(export: &SharedObjectFacts, import: &SharedObjectFacts) -> Vec<(Rule, String)> {
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
    compare(Rule::HandleTypeDiffers, "Kind", is_semaphore.map(|is| named(is, ["memory", "a semaphore"])));
    if export.kind == import.kind {
        let handle = |of: &SharedObjectFacts| match of.handle {
            HandleClass::Opaque => "opaque",
            HandleClass::DmaBuf => "a dma-buf",
            HandleClass::SyncFile => "a sync file",
        };
        compare(Rule::HandleTypeDiffers, "Descriptor", both.map(|of| Some(handle(of).to_owned())));
        compare(Rule::SizeDiffers, "Bytes", both.map(|of| of.size.map(|size| size.to_string())));
        let dedicated = both.map(|of| named(of.is_dedicated, ["not dedicated", "dedicated"]));
        compare(Rule::DedicatedDiffers, "Allocation", dedicated);
        let timeline = both.map(|of| named(of.is_timeline, ["binary", "a timeline"]));
        compare(Rule::SemaphoreTypeDiffers, "Semaphore", timeline);
        let uuid = both.map(|of| of.uuid.map(|uuid| CUuuid::from(uuid).to_string()));
        compare(Rule::DeviceDiffers, "Device", uuid);
    }
    found
}
