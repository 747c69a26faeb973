//! The rules: one table, from which the reports, `--list-rules` and the guide's page come.

pub const GUIDE_URL: &str = "https://docs.rs/cuda-external-sys/latest/cuda_external_sys/guide";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// NVIDIA's driver API manual. `place` is a function or a type.
    Manual,
    /// NVIDIA's CUDA programming guide. `place` is a section.
    Guide,
    /// Vulkan's specification. `place` is a section or a valid usage.
    Vulkan,
    /// A measurement: on the GPUs in `place`, driver 580.159.04 refused the call, crashed or misbehaved
    /// (dev/driver_survey/ANSWERS.md).
    Measured,
    /// No source demands the rule, and no measurement shows harm. The rule is reported only on request.
    Note,
}

impl RuleSource {
    pub fn rule_source_name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Guide => "guide",
            Self::Vulkan => "Vulkan",
            Self::Measured => "measured",
            Self::Note => "note",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleActivation {
    ByDefault,
    /// Reported by default for accesses that certainly happen. `--enable` with the rule's name adds possible accesses.
    MoreOnEnable,
    /// Reported only with `--enable` and the rule's name, since a correct program may break the rule with care.
    OnEnable,
}

#[derive(Debug)]
pub struct RuleInfo {
    pub rule: Rule,
    /// The rule's name in findings and in the command's options.
    pub id: &'static str,
    pub group: RuleGroup,
    pub source: RuleSource,
    /// The place in the source: a function, a section, the measured GPUs. For a note, why nothing demands the rule.
    pub place: &'static str,
    pub reported: RuleActivation,
    /// Says what a program did that breaks the rule.
    pub sentence: &'static str,
    pub remedy: &'static str,
}

impl RuleInfo {
    /// Returns the sentence and, if the rule needs `--enable`, a sentence about that option.
    pub fn full_description(&self) -> String {
        match self.reported {
            RuleActivation::ByDefault => self.sentence.to_owned(),
            RuleActivation::MoreOnEnable => {
                format!(
                    "{} Accesses that are only possible, such as a kernel's, are reported with --enable {} only.",
                    self.sentence, self.id
                )
            }
            RuleActivation::OnEnable => {
                format!("{} Reported with --enable {} only.", self.sentence, self.id)
            }
        }
    }
}

macro_rules! rules {
    ($(
        [$group:ident $title:literal]
        $($rule:ident $id:literal $source:ident $place:literal $reported:ident $sentence:literal $remedy:literal;)*
    )*) => {
        /// A section of the guide's page.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RuleGroup { $($group),* }

        impl RuleGroup {
            pub fn group_title(self) -> &'static str {
                match self { $(Self::$group => $title),* }
            }
        }

        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Rule { $($($rule),*),* }

        /// Every rule, in the order of the enum.
        pub const RULES: &[RuleInfo] = &[$($(RuleInfo {
            rule: Rule::$rule,
            id: $id,
            group: RuleGroup::$group,
            source: RuleSource::$source,
            place: $place,
            reported: RuleActivation::$reported,
            sentence: $sentence,
            remedy: $remedy,
        }),*),*];
    };
}

rules! {
    [FileDescriptors "File descriptors"]
    FdNotOpen "fd-not-open" Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a file descriptor that is not open."
        "Export again for each import, and pass the number on before anything closes it.";
    FdNotImportable "fd-not-importable" Manual "cuImportExternalMemory" ByDefault
        "An import gets a descriptor that is not an exported memory or semaphore, such as a pipe or a file. A failed \
         memory import may close the descriptor."
        "Pass what vkGetMemoryFdKHR, vkGetSemaphoreFdKHR, cuMemExportToShareableHandle or another exporter returned.";
    FdImportedBefore "fd-imported-before" Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a descriptor that an earlier import took. If another file has the number by \
         then, a memory import closes that file."
        "Export again for each import, and pass the number that the exporter returned: a descriptor can be imported \
         once.";
    FdClosedAfterImport "fd-closed-after-import" Manual "cuImportExternalMemory" ByDefault
        "The program closed the number of a descriptor after a successful import. The descriptor belonged to the \
         driver, and the number may name another file."
        "Forget the number before the import (fd = -1; in C++ release, in Rust into_raw_fd), and never close it.";
    FdClosedAfterFailure "fd-closed-after-failure" Measured "H100, H200" ByDefault
        "The program closed the number of a descriptor after a failed import that had closed it. The number may \
         name another file."
        "Give the descriptor up before the import, or import a duplicate (dup) and keep the original.";

    [Handles "Handles"]
    HandleUnknown "handle-unknown" Measured "H100, H200" ByDefault
        "A function gets a null handle, or a handle that no import returned. The driver may crash."
        "Initialize handles, look at the import's result, and do not use a handle whose import failed.";
    HandleDestroyed "handle-destroyed" Measured "H100, H200" ByDefault
        "A function gets a handle that was destroyed before."
        "Destroy an import after its last use.";
    HandleDestroyedTwice "handle-destroyed-twice" Measured "H100, H200" ByDefault
        "An external memory, semaphore or mipmapped array is destroyed for the second time."
        "Destroy each import and each array once, in the one place that owns it.";
    HandleWrongKind "handle-wrong-kind" Measured "H100, H200" ByDefault
        "A function for semaphores gets a handle of memory, or a function for memory gets a handle of a semaphore."
        "Keep the types CUexternalMemory and CUexternalSemaphore apart; do not cast them.";
    HandleOtherContext "handle-other-context" Guide "Driver API, Context" ByDefault
        "An import of one context is used in another context."
        "Make the context of the import current, or import in each context.";
    HandleContextGone "handle-context-gone" Measured "H100, H200" ByDefault
        "An object is used or freed after its context was destroyed, released for the last time, or reset. The driver \
         may crash."
        "Free mappings and imports before the context is destroyed, released for the last time, or reset.";

    [Descriptions "Descriptions of memory, buffers and images"]
    ImportSizeZero "import-size-zero" Manual "cuImportExternalMemory" ByDefault
        "Memory is imported with size 0."
        "Set size to the size of the whole allocation, for Vulkan VkMemoryAllocateInfo::allocationSize.";
    StructTooShort "struct-too-short" Manual "cuImportExternalMemory" ByDefault
        "A struct is declared by hand and shorter than in cuda.h: the driver reads other fields than the program set."
        "Take the declaration from cuda.h or from these bindings: the union of a handle has 16 bytes, since it \
         contains win32.name.";
    ReservedNotZero "reserved-not-zero" Measured "H100, H200" ByDefault
        "A reserved field of a struct is not zero."
        "Set the whole struct to zero before its fields: memset, = {0}, Default::default(). A struct that is declared \
         by hand must be as long as in cuda.h.";
    UnknownFlags "unknown-flags" Measured "H100, H200" ByDefault
        "The flags of a struct have an unknown bit, and the driver refused the call."
        "Use the flags that the manual lists for the struct.";
    TypeNotSupported "type-not-supported" Measured "H100, H200" ByDefault
        "A handle type is unknown, or this platform does not have it."
        "On Linux use OPAQUE_FD, and TIMELINE_SEMAPHORE_FD for timelines.";
    CudaMemoryTooLarge "cuda-memory-512-mib" Measured "two H200s" ByDefault
        "Memory of 512 MiB or more that CUDA itself exported is imported as external memory on a host with several \
         GPUs. The driver crashes."
        "Import it by cuMemImportFromShareableHandle, and map it by cuMemMap.";
    MappingBeyondImport "mapping-beyond-import" Measured "H100, H200" ByDefault
        "A mapped buffer has no bytes, or reaches beyond the size of its import."
        "Keep offset + size within the size of the import, and size above 0.";
    MappingOverlap "mapping-overlap" Manual "cuExternalMemoryGetMappedBuffer" OnEnable
        "A buffer is mapped over a range of the import that is mapped already. Writes through one address need not be \
         visible through the other."
        "Map the whole range once, and add offsets to its address.";
    MappingDedicatedOffset "mapping-dedicated-offset" Measured "H100, H200" ByDefault
        "An import with CUDA_EXTERNAL_MEMORY_DEDICATED is mapped at an offset."
        "Use offset 0: a dedicated allocation holds one resource, at its beginning.";
    ArrayTooLarge "array-too-large" Guide "Vulkan, Mapping Mipmapped Arrays onto Imported Memory Objects" ByDefault
        "A mipmapped array needs more bytes than the import has after the array's offset, even without any padding."
        "Describe the image as the exporter made it, and import the whole allocation.";
    ArrayLevels "array-levels" Measured "H100, H200" ByDefault
        "A mipmapped array has more levels than its extents allow: more than 1 + log2 of the largest extent."
        "Set numLevels to the image's mipLevels.";
    ArrayNoLevels "array-no-levels" Measured "H100, H200" ByDefault
        "A mipmapped array has numLevels 0. The driver aborts the process."
        "Set numLevels to the image's mipLevels: 1 for an image without mipmaps.";
    ArrayChannels "array-channels" Manual "cuMipmappedArrayCreate" ByDefault
        "An array has a NumChannels that its format does not allow, such as 3."
        "Use 1, 2 or 4 channels; with a format whose name ends in X1, X2 or X4, that number.";
    ArrayExtents "array-extents" Manual "cuMipmappedArrayCreate" ByDefault
        "The extents and flags of an array contradict each other: a cube without six square faces, a layered array \
         without layers, a depth without a height, no width."
        "Follow the guide's table of extents and flags: height 0 for 1D, depth 0 for 2D, layers in Depth with LAYERED, \
         6 times the cubes with CUBEMAP.";

    [Lifetimes "Lifetimes"]
    ImportBeforeMapping "import-before-mapping" Note "NvSci's page demands this order for its objects" OnEnable
        "An external memory is destroyed while mappings of it are alive."
        "Free the mappings first: cuMemFree and cuMipmappedArrayDestroy, then cuDestroyExternalMemory.";
    UseAfterEnd "use-after-end" Manual "cuDestroyExternalMemory" ByDefault
        "A mapping is used after it was freed or after its import was destroyed, or a graph uses an object after its \
         end."
        "Free a mapping and destroy an import after the last use.";
    FreedTwice "freed-twice" Measured "H100, H200" ByDefault
        "A mapped buffer is freed for the second time."
        "Free each mapping once.";
    StreamDestroyed "stream-destroyed" Measured "H100, H200" ByDefault
        "A signal, a wait, a copy or fill of a mapping, or a graph is enqueued in a stream that was destroyed."
        "Destroy a stream after its last use.";
    DestroyedInUse "destroyed-in-use" Manual "cuDestroyExternalSemaphore" ByDefault
        "An object is freed or destroyed while queued work uses it: a signal, a wait, a copy or a fill that is not \
         done."
        "Synchronize the stream first.";
    NotFreed "not-freed" Guide "External Resource Interoperability" ByDefault
        "A mapping or an import is still alive when the process or its context ends. While it is alive, the whole \
         allocation stays in memory."
        "Free every mapping and destroy every import; each holds the memory by itself.";

    [Semaphores "Semaphores"]
    NullArray "null-array" Measured "H100, H200" ByDefault
        "A signal, a wait or a graph node gets a count of semaphores and a null array, or a count above 65,536."
        "Pass both arrays, with as many entries as the count.";
    CountZero "count-zero" Measured "H100, H200" ByDefault
        "A signal or a wait has no semaphores."
        "Leave the call out if there is nothing to signal or to wait for.";
    TimelineNotGrowing "timeline-not-growing" Vulkan "VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline is signaled with a value that is not greater than that of the signal before it in the same stream."
        "Signal 1, 2, 3, ...; before each launch of a graph set its nodes' values.";
    TimelineZero "timeline-zero" Vulkan "VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline is signaled with the value 0. A signal must raise the value, and no value is below 0."
        "Begin with 1, and set params.fence.value.";
    SemaphoreFlags "semaphore-flags" Manual "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS" ByDefault
        "A signal or a wait has flags that its semaphore's type does not have, such as a flag that ends in \
         _SKIP_NVSCIBUF_MEMSYNC without NvSciSync."
        "Set flags to 0, except for NvSciSync.";
    ContextLost "context-lost" Manual "CUresult" ByDefault
        "A signal or a wait is called after a sticky error, which makes the context unusable."
        "Look for the cause at the first call that returned the error, and with CUDA_LAUNCH_BLOCKING=1, which makes \
         kernels report their errors at their launches.";

    [BothSides "Both sides: what one API exports and another one imports"]
    SizeDiffers "size-differs" Manual "cuImportExternalMemory" ByDefault
        "Memory is imported with another size than its exporter allocated."
        "Import the size of the whole allocation (VkMemoryAllocateInfo::allocationSize, or the size passed to \
         cuMemCreate), not that of a buffer or image.";
    DedicatedDiffers "dedicated-differs" Guide "Vulkan, Importing Memory Objects" ByDefault
        "One API describes the memory as dedicated, and the other one does not."
        "Set CUDA_EXTERNAL_MEMORY_DEDICATED if and only if VkMemoryDedicatedAllocateInfo was used.";
    HandleTypeDiffers "handle-type-differs" Manual "cuImportExternalMemory" ByDefault
        "A descriptor is imported with another handle type than it was exported with: a dma-buf or a sync file as \
         opaque, or memory as a semaphore."
        "Import with the handle type that vkGetMemoryFdKHR or vkGetSemaphoreFdKHR was called with.";
    SemaphoreTypeDiffers "semaphore-type-differs" Manual "CUexternalSemaphoreHandleType" ByDefault
        "A binary semaphore is imported as a timeline, or a timeline as binary."
        "In CUDA use TIMELINE_SEMAPHORE_FD for VK_SEMAPHORE_TYPE_TIMELINE, and OPAQUE_FD for binary semaphores. In \
         Vulkan import into a semaphore of the exporter's type.";
    DeviceDiffers "device-differs" Guide "Vulkan, Matching Device UUIDs" ByDefault
        "The device that imports is not the one that exported."
        "Choose the CUDA device whose UUID is VkPhysicalDeviceIDProperties::deviceUUID.";
    ImageDiffers "image-differs" Guide "Vulkan, Mapping Mipmapped Arrays onto Imported Memory Objects" ByDefault
        "A mipmapped array does not describe the Vulkan image at its offset."
        "Repeat the image's extent, layers, levels and format, and the offset that it is bound at; use optimal tiling \
         and one sample.";
    TimelineGoesBack "timeline-goes-back" Vulkan
        "VUID-VkSemaphoreSignalInfo-value-03258, VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline is signaled with a value that it has passed already, by Vulkan or by CUDA."
        "Count one value up across both APIs: each signal has a greater value.";
    ExporterFreedInUse "exporter-freed-in-use" Note "an import by descriptor holds the memory" OnEnable
        "vkFreeMemory, vkDestroySemaphore or cuMemRelease ends an object that the other API's queued work still uses."
        "Synchronize the stream or the queue before the exporter ends the object.";
    WaitBeforeSignal "wait-before-signal" Guide "External Resource Interoperability" OnEnable
        "A wait is enqueued before its signal: neither a queue nor a stream has the signal yet."
        "Enqueue the signal before the wait for it.";
    WrittenTooEarly "written-too-early" Vulkan "Execution and Memory Dependencies" MoreOnEnable
        "One API writes memory that the other one may still read: no wait orders the write after the read."
        "Signal after the read, and wait for that signal before the next write; or give each frame in \
         flight separate memory.";
    HandOver "hand-over" Vulkan "Queue Family Ownership Transfer" MoreOnEnable
        "One API uses memory that the other one wrote, and between the write and the use a signal, a wait, a \
         release or an acquire is missing."
        "Write, release to VK_QUEUE_FAMILY_EXTERNAL, signal; wait, acquire from VK_QUEUE_FAMILY_EXTERNAL, use.";

    [Contexts "Contexts"]
    NoCurrentContext "no-current-context" Measured "H100, H200" ByDefault
        "An import is made by a thread without a current context."
        "Call cuCtxSetCurrent in each thread before its first call.";
    AfterFork "after-fork" Measured "H200" ByDefault
        "A function of the family is called in a forked child whose parent had called cuInit. Nearly every function of \
         the driver returns an error there."
        "Fork before the first call of CUDA, or start the child by exec (posix_spawn; in Python the start method \
         spawn).";
}

impl Rule {
    pub fn rule_info(self) -> &'static RuleInfo {
        &RULES[self as usize]
    }

    /// Returns the rule with this identifier, or an error that lists all identifiers.
    pub fn rule_by_id(id: &str) -> Result<Self, String> {
        let known = || RULES.iter().map(|row| row.id).collect::<Vec<_>>().join(", ");
        let row = RULES.iter().find(|row| row.id == id);
        row.map(|row| row.rule).ok_or_else(|| format!("`{id}` is not a rule. The rules are {}", known()))
    }
}
