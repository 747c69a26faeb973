//! The table of the rules: its texts are in findings, in the output of `--list-rules`, and in docs/check-rules.md.

pub const GUIDE_URL: &str = "https://docs.rs/cuda-external-sys/latest/cuda_external_sys/guide";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// NVIDIA's driver API manual. `place` is a function or a type.
    Manual,
    /// NVIDIA's CUDA programming guide. `place` is a section.
    Guide,
    /// Vulkan's specification. `place` is a section or a valid usage.
    Vulkan,
    /// A call that broke the rule failed, crashed or misbehaved (dev/driver_survey/ANSWERS.md). `place` names the GPUs.
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
    /// Reported by default for accesses that certainly happen. `--enable` with such a rule's name adds possible ones.
    MoreOnEnable,
    /// Reported only with `--enable` and the rule's name, since a program that breaks the rule may be correct.
    OnEnable,
}

const MORE_ON_ENABLE: &str = "Merely possible accesses, such as a kernel's, are reported only if --enable names \
    hand-over or written-too-early.";

#[derive(Debug)]
pub struct RuleInfo {
    pub rule: Rule,
    /// The rule's name in findings and in the command's options.
    pub id: &'static str,
    pub group: RuleGroup,
    pub source: RuleSource,
    /// The place in the source, as [`RuleSource`] says for each source. For a note, why nothing demands the rule.
    pub place: &'static str,
    pub reported: RuleActivation,
    /// Says what a program did that breaks the rule.
    pub sentence: &'static str,
    pub remedy: &'static str,
}

impl RuleInfo {
    /// Returns the sentence and, if `--enable` changes what is reported, a sentence about that option.
    pub fn full_description(&self) -> String {
        match self.reported {
            RuleActivation::ByDefault => self.sentence.to_owned(),
            RuleActivation::MoreOnEnable => format!("{} {MORE_ON_ENABLE}", self.sentence),
            RuleActivation::OnEnable => {
                format!("{} This rule is reported with --enable {} only.", self.sentence, self.id)
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
        "Export a new descriptor for each import, and import the descriptor before anything closes it.";
    FdNotImportable "fd-not-importable" Manual "cuImportExternalMemory" ByDefault
        "An import gets a descriptor of something other than exported memory or an exported semaphore, such as a pipe \
         or a file. A memory import that fails for this reason closes the descriptor (measured)."
        "Pass the descriptor that vkGetMemoryFdKHR, vkGetSemaphoreFdKHR, cuMemExportToShareableHandle or another \
         exporter returned.";
    FdImportedBefore "fd-imported-before" Manual "cuImportExternalMemory" ByDefault
        "An import gets the number of a descriptor that was imported before. If another file has that number now, a \
         memory import closes the other file (measured)."
        "Export a new descriptor for each import: a descriptor can be imported once.";
    FdClosedAfterImport "fd-closed-after-import" Manual "cuImportExternalMemory" ByDefault
        "The program passed the number of an imported descriptor to close. The import gave the descriptor to the \
         driver, so the call may close another file that got the number since."
        "Give the descriptor up when passing it to the import (fd = -1 in C and Python, release() of its owner in C++, \
         into_raw_fd() in Rust), and never pass its number to close afterwards.";
    FdClosedAfterFailure "fd-closed-after-failure" Measured "H100, H200" ByDefault
        "The program passed the number of a descriptor to close after a failed import had closed the descriptor. The \
         call may close another file that got the number since."
        "Give the descriptor up when passing it to the import, or import a duplicate (dup) and keep the original.";

    [Handles "Handles"]
    HandleUnknown "handle-unknown" Measured "H100, H200" ByDefault
        "A function gets a null handle, or a handle that no import returned. The driver may crash."
        "Initialize handles, check the import's result, and do not use a handle whose import failed. In Python's \
         ctypes pass handles as c_void_p: ctypes passes only 32 bits of a plain int.";
    HandleDestroyed "handle-destroyed" Measured "H100, H200" ByDefault
        "A function gets the handle of an import or a mipmapped array that was destroyed before."
        "Destroy an import or an array only after its last use.";
    HandleDestroyedTwice "handle-destroyed-twice" Measured "H100, H200" ByDefault
        "An external memory, semaphore or mipmapped array is destroyed for the second time."
        "Destroy each import and each array once, in the one place that owns it.";
    HandleWrongKind "handle-wrong-kind" Measured "H100, H200" ByDefault
        "A function gets a handle of the wrong kind: for example, a function for semaphores gets the handle of an \
         external memory."
        "Do not cast between CUexternalMemory, CUexternalSemaphore and CUmipmappedArray.";
    HandleOtherContext "handle-other-context" Guide "Driver API, Context" ByDefault
        "An import that was made in one context is used in another context."
        "Make the import's context current, or import once in each context.";
    HandleContextGone "handle-context-gone" Measured "H100, H200" ByDefault
        "A mapped buffer is freed, or an import's or array's handle is used, after the object's context has ended (by \
         cuCtxDestroy, cuDevicePrimaryCtxReset or the last cuDevicePrimaryCtxRelease). The driver may crash."
        "Free mappings and destroy imports before their context ends.";

    [Descriptions "Descriptions of memory, buffers and images"]
    ImportSizeZero "import-size-zero" Manual "cuImportExternalMemory" ByDefault
        "Memory is imported with size 0."
        "Set size to the size of the whole allocation: for memory of Vulkan, VkMemoryAllocateInfo::allocationSize.";
    StructTooShort "struct-too-short" Manual "cuImportExternalMemory" ByDefault
        "The program's declaration of CUDA_EXTERNAL_MEMORY_HANDLE_DESC is probably 8 bytes shorter than cuda.h's: the \
         driver then finds the program's values in the wrong fields."
        "Take the declaration from cuda.h or from cuda-external-sys. The union `handle` has 16 bytes, since its field \
         win32 has two pointers.";
    ReservedNotZero "reserved-not-zero" Measured "H100, H200" ByDefault
        "A reserved field of a struct that the driver reads is not zero."
        "Set the whole struct to zero before setting its fields (memset or = {0} in C, Default::default() in Rust). A \
         struct that is declared by hand must be as long as in cuda.h.";
    UnknownFlags "unknown-flags" Measured "H100, H200" ByDefault
        "The flags in the description of an import or a mapping have an unknown bit, and the driver refused the call."
        "Use only the flags that the manual lists for the description's struct.";
    TypeNotSupported "type-not-supported" Measured "H100, H200" ByDefault
        "An import has a handle type that the driver does not know or does not support."
        "On Linux use OPAQUE_FD for memory and binary semaphores, and TIMELINE_SEMAPHORE_FD for timelines.";
    CudaMemoryTooLarge "cuda-memory-512-mib" Measured "two H200s" ByDefault
        "Memory of 512 MiB or more that CUDA itself exported is imported as external memory on a host with several \
         GPUs. The driver may crash."
        "Import the memory by cuMemImportFromShareableHandle, and map it by cuMemMap.";
    MappingBeyondImport "mapping-beyond-import" Measured "H100, H200" ByDefault
        "A buffer is mapped with size 0, or reaches beyond the size with which its memory was imported."
        "Import the whole allocation. Keep a buffer's offset + size within the import, and the buffer's size above 0.";
    MappingOverlap "mapping-overlap" Manual "cuExternalMemoryGetMappedBuffer" OnEnable
        "Two mapped buffers of one import overlap. Writes through one address need not be visible through the other."
        "Map the whole range once, and add offsets to the address of that mapping.";
    MappingDedicatedOffset "mapping-dedicated-offset" Measured "H100, H200" ByDefault
        "Memory that was imported with CUDA_EXTERNAL_MEMORY_DEDICATED is mapped at an offset other than 0."
        "Use offset 0: a dedicated allocation holds one resource, at its beginning.";
    ArrayTooLarge "array-too-large" Guide "Vulkan, Mapping Mipmapped Arrays onto Imported Memory Objects" ByDefault
        "A mipmapped array needs more bytes, even without padding, than the import has after the array's offset."
        "Give the array the Vulkan image's extent, layers, levels and format, and import the whole allocation.";
    ArrayLevels "array-levels" Measured "H100, H200" ByDefault
        "A mipmapped array has more levels than its extents allow: more than 1 + floor(log2(n)), where n is the \
         largest extent. A number of layers or faces is not an extent."
        "Set numLevels to mipLevels of the Vulkan image.";
    ArrayNoLevels "array-no-levels" Measured "H100, H200" ByDefault
        "A mipmapped array has numLevels 0. The driver aborts the process."
        "Set numLevels to mipLevels of the Vulkan image: 1 for an image without mipmaps.";
    ArrayChannels "array-channels" Manual "cuMipmappedArrayCreate" ByDefault
        "An array has a NumChannels that its format does not allow, such as 3 for CU_AD_FORMAT_UNSIGNED_INT8."
        "Use the number after the X at the end of the format's name (X1, X2, X4), and 4 for \
         CU_AD_FORMAT_UNORM_INT_101010_2. Other formats of integers and floats have 1, 2 or 4 channels.";
    ArrayExtents "array-extents" Manual "cuMipmappedArrayCreate" ByDefault
        "An array's extents do not fit its flags: a cubemap has faces that are not square, or its Depth is not 6 for \
         each cube; a layered array has no layers; a 3D array has no height. Or an array has no width."
        "Follow the manual's table of extents: Height 0 for 1D, Depth 0 for 2D. With CUDA_ARRAY3D_LAYERED, Depth is \
         the number of layers. With CUDA_ARRAY3D_CUBEMAP, Depth is 6, or 6 for each cube if the array is layered too.";

    [Lifetimes "Lifetimes"]
    ImportBeforeMapping "import-before-mapping" Note
        "only NVIDIA's documentation of NvSci demands that the mappings are freed first" OnEnable
        "An external memory is destroyed while mappings of it are alive."
        "Free the mappings by cuMemFree and cuMipmappedArrayDestroy, and then call cuDestroyExternalMemory.";
    UseAfterEnd "use-after-end" Manual "cuDestroyExternalMemory" ByDefault
        "A mapping is used after it was freed or after its import was destroyed, or a launched graph uses an object \
         that was freed or destroyed."
        "Free or destroy an object only after its last use, and imported memory only after its mappings' last use.";
    FreedTwice "freed-twice" Measured "H100, H200" ByDefault
        "A mapped buffer is freed for the second time."
        "Free each mapping once.";
    StreamDestroyed "stream-destroyed" Measured "H100, H200" ByDefault
        "A signal, a wait, a copy or fill of a mapping, or a graph is enqueued in a stream that was destroyed."
        "Destroy a stream only after its last use.";
    DestroyedInUse "destroyed-in-use" Manual "cuDestroyExternalSemaphore" ByDefault
        "A semaphore is destroyed, or a mapping is freed, while queued work (a signal, a wait, a copy, a fill, a \
         graph) still uses the object. The manual forbids this for semaphores only."
        "Synchronize the stream of that work first.";
    NotFreed "not-freed" Guide "External Resource Interoperability" ByDefault
        "A mapping or an import is still alive when its context ends or when the process exits. While imported memory \
         or one of its mappings is alive, the exporter's allocation is not freed (measured)."
        "Before the context or the process ends, free every mapping (cuMemFree, cuMipmappedArrayDestroy) and destroy \
         every import (cuDestroyExternalMemory, cuDestroyExternalSemaphore).";

    [Semaphores "Semaphores"]
    NullArray "null-array" Measured "H100, H200" ByDefault
        "A signal or a wait, in a stream or a graph, has a count above 0 and a null array of semaphores or of \
         parameters. A count above 65,536 is reported too: the check takes such a count for a mistake (not measured)."
        "Pass both arrays, with as many entries as the count.";
    CountZero "count-zero" Measured "H100, H200" ByDefault
        "A call that signals or waits gets 0 semaphores."
        "Omit the call if there is nothing to signal or to wait for.";
    TimelineNotGrowing "timeline-not-growing" Vulkan "VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline semaphore is signaled with a value that is not above the greatest earlier value in the same stream."
        "Signal growing values, such as 1, 2, 3. Before each launch of a graph, give the graph's signal nodes new \
         values.";
    TimelineZero "timeline-zero" Vulkan "VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "A timeline semaphore is signaled with the value 0. A signal must raise the value, which is never below 0."
        "Begin with the value 1, in the field params.fence.value.";
    SemaphoreFlags "semaphore-flags" Manual "CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS" ByDefault
        "A signal or a wait has flags that the semaphore's type does not allow, such as a flag whose name ends in \
         _SKIP_NVSCIBUF_MEMSYNC for a semaphore that is not of NvSciSync."
        "Set flags to 0, except for NvSciSync.";
    ContextLost "context-lost" Manual "CUresult" ByDefault
        "A signal or a wait is enqueued after a sticky error: an error after which all further work with CUDA returns \
         the same error."
        "Look for the cause in the first call that returned the error, or in work that was enqueued before that call. \
         With CUDA_LAUNCH_BLOCKING=1, each launch of a kernel waits for the kernel and returns its error.";

    [BothSides "Both sides: what one API exports and another one imports"]
    SizeDiffers "size-differs" Manual "cuImportExternalMemory" ByDefault
        "Memory is imported with a size that is not the size of the other API's allocation."
        "Import the memory with the size of the whole allocation (VkMemoryAllocateInfo::allocationSize, or the size \
         passed to cuMemCreate), not with the size of a buffer or image.";
    DedicatedDiffers "dedicated-differs" Guide "Vulkan, Importing Memory Objects" ByDefault
        "One API describes shared memory as dedicated, and the other one does not."
        "Set CUDA_EXTERNAL_MEMORY_DEDICATED if and only if VkMemoryDedicatedAllocateInfo was used.";
    HandleTypeDiffers "handle-type-differs" Manual "cuImportExternalMemory" ByDefault
        "A descriptor is imported with a handle type that does not match its export: for example, a dma-buf or a sync \
         file as OPAQUE_FD, or memory as a semaphore."
        "Import memory as memory, and a semaphore as a semaphore. For CUDA's types OPAQUE_FD and \
         TIMELINE_SEMAPHORE_FD, export from Vulkan as OPAQUE_FD.";
    SemaphoreTypeDiffers "semaphore-type-differs" Manual "CUexternalSemaphoreHandleType" ByDefault
        "A binary semaphore is imported as a timeline semaphore, or a timeline semaphore as a binary one."
        "In CUDA use TIMELINE_SEMAPHORE_FD for VK_SEMAPHORE_TYPE_TIMELINE, and OPAQUE_FD for binary semaphores. In \
         Vulkan import into a semaphore of the exporter's type.";
    DeviceDiffers "device-differs" Guide "Vulkan, Matching Device UUIDs" ByDefault
        "The device that imports memory or a semaphore is not the device that exported it."
        "Choose the CUDA device whose UUID is VkPhysicalDeviceIDProperties::deviceUUID.";
    ImageDiffers "image-differs" Guide "Vulkan, Mapping Mipmapped Arrays onto Imported Memory Objects" ByDefault
        "The description of a mipmapped array differs from the Vulkan image that is bound at the array's offset."
        "In the description, repeat the image's extent, layers, levels and format, and the offset at which the image \
         is bound. Create the image with optimal tiling and one sample.";
    TimelineGoesBack "timeline-goes-back" Vulkan
        "VUID-VkSemaphoreSignalInfo-value-03258, VUID-VkSubmitInfo2-semaphore-03882" ByDefault
        "Two signals of a timeline semaphore are of different kinds (by a CUDA stream, by a Vulkan queue, by \
         vkSignalSemaphore), and the later signal's value is not greater than the earlier signal's. Or nothing orders \
         a stream's signal and a queue's signal."
        "Take all values from one counter. Let each API wait for the other API's last value before its own signal.";
    ExporterFreedInUse "exporter-freed-in-use" Note "an import by descriptor keeps the memory allocated" OnEnable
        "vkFreeMemory, vkDestroySemaphore or cuMemRelease ends an object that the other API's queued work still uses."
        "Synchronize the stream or the queue before the exporter ends the object.";
    WaitBeforeSignal "wait-before-signal" Guide "External Resource Interoperability" OnEnable
        "A wait is enqueued, or begun by the host, before the awaited signal is enqueued or made by the host."
        "Enqueue the signal before the wait.";
    WrittenTooEarly "written-too-early" Vulkan "Execution and Memory Dependencies" MoreOnEnable
        "One API writes memory that the other one may still read: no wait orders the write after the read."
        "Signal after the read, and wait for that signal before the next write; or give each frame in \
         flight separate memory.";
    HandOver "hand-over" Vulkan "Queue Family Ownership Transfer" MoreOnEnable
        "One API uses memory that the other one wrote, and between the write and the use a signal, a wait, a \
         release or an acquire is missing."
        "Signal after the write, and wait for that signal before the use. If Vulkan wrote, release the memory to \
         VK_QUEUE_FAMILY_EXTERNAL before the signal. If CUDA wrote, acquire the memory from VK_QUEUE_FAMILY_EXTERNAL \
         in Vulkan after the wait.";

    [Contexts "Contexts"]
    NoCurrentContext "no-current-context" Measured "H100, H200" ByDefault
        "An import is made by a thread without a current context."
        "Call cuCtxSetCurrent in each thread before its first import.";
    AfterFork "after-fork" Measured "H200" ByDefault
        "In a forked child whose parent had called cuInit, the program calls a function that imports, maps, signals, \
         waits or destroys. In such a child, nearly every function of the driver returns an error."
        "Fork before the first call of CUDA, or start the child by posix_spawn (in Python: the start method spawn).";
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
