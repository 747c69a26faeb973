//! What each field says on its page: the generator writes it above the field, whichever cuda.h the field came from.
//!
//! The items themselves are documented where src/ exports them; tests/docs.rs misses none. Links here may name types
//! and constants that every supported release has.

/// A field's text, or none.
pub fn text(of_type: &str, field: &str) -> Option<&'static str> {
    let fields = FIELDS.iter().find(|(types, _)| types.contains(&of_type))?.1;
    fields.iter().find(|(name, _)| *name == field).map(|(_, text)| *text)
}

/// For arrays that are there for later releases.
const RESERVED: &str = "Must be zero, as `default()` leaves it.";

type Fields = &'static [(&'static str, &'static str)];

const FIELDS: &[(&[&str], Fields)] = &[
    // Memory.
    (
        &["CUDA_EXTERNAL_MEMORY_HANDLE_DESC"],
        &[
            ("type_", "What kind of handle this is. It decides which arm of `handle` is read."),
            ("handle", "The handle: one arm of the union, the one that goes with `type_`."),
            (
                "size",
                "Size in bytes of the whole exported allocation, not of the buffer in it: for Vulkan the \
                 `allocationSize` of its `VkMemoryAllocateInfo`, for Direct3D 12 the `SizeInBytes` of \
                 `GetResourceAllocationInfo`, for NvSciBuf the object's size attribute. Zero is an error; the \
                 driver does not notice a number that is too large before a buffer is mapped.",
            ),
            (
                "flags",
                "0 or [`CUDA_EXTERNAL_MEMORY_DEDICATED`], which must be set exactly where the exporter made a \
                 dedicated allocation.",
            ),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle"],
        &[
            (
                "fd",
                "A file descriptor: for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD`], and for the type DMABUF_FD. \
                 A successful import takes it over, and the caller neither closes nor uses it any more.",
            ),
            (
                "win32",
                "A Windows handle, or the name of one: for the types OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_HEAP, \
                 D3D12_RESOURCE, D3D11_RESOURCE and D3D11_RESOURCE_KMT.",
            ),
            (
                "nvSciBufObject",
                "An `NvSciBufObj`: for [`CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF`]. It stays the caller's, who \
                 keeps it for as long as the import lives.",
            ),
        ],
    ),
    (
        &["CUDA_EXTERNAL_MEMORY_BUFFER_DESC"],
        &[
            (
                "offset",
                "Where the buffer begins, in bytes from the start of the memory object: the offset that the \
                 exporter bound its buffer at, with the alignment that the exporter's API asks for. 0 for a \
                 dedicated import.",
            ),
            (
                "size",
                "Size of the mapping in bytes. `offset + size` must not exceed the size of the memory object.",
            ),
            ("flags", "Must be 0."),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC"],
        &[
            (
                "offset",
                "Where level 0 begins, in bytes from the start of the memory object: the offset that the exporter \
                 bound its image at.",
            ),
            ("arrayDesc", "Format, extent and kind of level 0, which must be those of the exporter's image."),
            (
                "numLevels",
                "How many mip levels there are, level 0 included: the image's own count, and never 0. 1 for memory \
                 imported from NvSciBuf.",
            ),
            ("reserved", RESERVED),
        ],
    ),
    // Semaphores.
    (
        &["CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC"],
        &[
            (
                "type_",
                "What kind of handle this is. It decides which arm of `handle` is read, and which arm of `params` \
                 a signal or wait of this semaphore reads.",
            ),
            ("handle", "The handle: one arm of the union, the one that goes with `type_`."),
            ("flags", "Must be 0."),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle"],
        &[
            (
                "fd",
                "A file descriptor: for [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD`] and \
                 [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD`]. A successful import takes it over, \
                 and the caller neither closes nor uses it any more.",
            ),
            (
                "win32",
                "A Windows handle, or the name of one: for the types OPAQUE_WIN32, OPAQUE_WIN32_KMT, D3D12_FENCE, \
                 D3D11_FENCE, D3D11_KEYED_MUTEX, D3D11_KEYED_MUTEX_KMT and TIMELINE_SEMAPHORE_WIN32.",
            ),
            (
                "nvSciSyncObj",
                "An `NvSciSyncObj`: for [`CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC`]. It stays the caller's, \
                 who keeps it for as long as the import lives.",
            ),
        ],
    ),
    (
        &[
            "CUDA_EXTERNAL_MEMORY_HANDLE_DESC_handle_win32",
            "CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC_handle_win32",
        ],
        &[
            (
                "handle",
                "The shared handle, or null where `name` is used. An NT handle stays the caller's, who closes it \
                 with `CloseHandle` at any time after the import. A KMT handle is never closed: it is only a number.",
            ),
            (
                "name",
                "The name that the handle was created with, as UTF-16 that ends in a zero; or null where `handle` \
                 is used. Exactly one of the two is not null. It must be null for the KMT types.",
            ),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS"],
        &[
            (
                "params",
                "What to set the semaphore to. The semaphore's handle type decides which member is read.",
            ),
            ("flags", "0, or for NvSciSync [`CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC`]."),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS"],
        &[
            ("params", "What to wait for. The semaphore's handle type decides which member is read."),
            ("flags", "0, or for NvSciSync [`CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC`]."),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params", "CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params"],
        &[
            (
                "fence",
                "For the types that count: both timeline semaphores, D3D12_FENCE and D3D11_FENCE. A binary \
                 semaphore (OPAQUE_FD, OPAQUE_WIN32, OPAQUE_WIN32_KMT) reads nothing.",
            ),
            ("nvSciSync", "For NVSCISYNC."),
            ("keyedMutex", "For D3D11_KEYED_MUTEX and D3D11_KEYED_MUTEX_KMT."),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_fence"],
        &[(
            "value",
            "What the semaphore is set to. For a timeline semaphore it must be larger than the value that it has.",
        )],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_fence"],
        &[("value", "The wait ends once the semaphore has this value or a larger one.")],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_nvSciSync"],
        &[
            (
                "fence",
                "An `NvSciSyncFence` of the caller's, which the call fills in, whatever it held before. Whoever \
                 waits for this signal is given that fence.",
            ),
            ("reserved", "Makes the union 8 bytes long on every platform."),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_nvSciSync"],
        &[
            ("fence", "The `NvSciSyncFence` that the signaller filled in."),
            ("reserved", "Makes the union 8 bytes long on every platform."),
        ],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS_params_keyedMutex"],
        &[("key", "The key that the mutex is released with: the next owner acquires it by the same one.")],
    ),
    (
        &["CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS_params_keyedMutex"],
        &[
            ("key", "The key to acquire the mutex by: the one that its last owner released it with."),
            (
                "timeoutMs",
                "How long to wait, in milliseconds. `u32::MAX`, which is `INFINITE` on Windows, waits for ever.",
            ),
        ],
    ),
    // Graph nodes.
    (
        &["CUDA_EXT_SEM_SIGNAL_NODE_PARAMS", "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2"],
        &[
            ("extSemArray", "The semaphores that the node signals. The node keeps a copy of the array."),
            ("paramsArray", "One entry for each of them. The node keeps a copy of the array."),
            ("numExtSems", "How many there are in both arrays."),
            ("context", "Which context the node should run in; null for no preference."),
        ],
    ),
    (
        &["CUDA_EXT_SEM_WAIT_NODE_PARAMS", "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2"],
        &[
            ("extSemArray", "The semaphores that the node waits for. The node keeps a copy of the array."),
            ("paramsArray", "One entry for each of them. The node keeps a copy of the array."),
            ("numExtSems", "How many there are in both arrays."),
            ("context", "Which context the node should run in; null for no preference."),
        ],
    ),
    (
        &["CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2_context", "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2_context"],
        &[
            ("ctx", "An ordinary context."),
            ("gCtx", "A green context, which is a part of a device's processors."),
        ],
    ),
    (
        &["CUDA_MEMSET_NODE_PARAMS"],
        &[
            ("dst", "The first element's address, aligned to `elementSize`."),
            ("pitch", "Bytes from one row to the next. Not read where `height` is 1."),
            ("value", "What each element is set to; its low `elementSize` bytes are used."),
            ("elementSize", "Bytes of one element: 1, 2 or 4."),
            ("width", "Elements in a row."),
            ("height", "Rows."),
        ],
    ),
    // Companions.
    (
        &["CUuuid"],
        &[(
            "bytes",
            "The 16 bytes, in the order in which Vulkan's `deviceUUID` and `nvidia-smi` have them. `c_char` is \
             signed on x86-64: compare byte by byte after a cast.",
        )],
    ),
    (
        &["CUDA_ARRAY3D_DESCRIPTOR"],
        &[
            ("Width", "Elements in a row. Never 0."),
            ("Height", "Rows, or 0 for an array of one dimension."),
            (
                "Depth",
                "Slices of a 3D array; the number of layers where [`CUDA_ARRAY3D_LAYERED`] is set, 6 times the \
                 number of cubes where [`CUDA_ARRAY3D_CUBEMAP`] is; else 0.",
            ),
            ("Format", "What one channel of an element is."),
            ("NumChannels", "Channels in an element: 1, 2 or 4. Three-channel formats do not exist in CUDA."),
            ("Flags", "`CUDA_ARRAY3D_` flags, combined by `|`."),
        ],
    ),
    (
        &["CUDA_MEMCPY3D"],
        &[
            ("srcXInBytes", "Where in a row the source begins, in bytes (not elements)."),
            ("srcY", "The source's first row."),
            ("srcZ", "The source's first slice or layer."),
            ("srcLOD", "Must be 0. A mip level is chosen by `cuMipmappedArrayGetLevel`."),
            ("srcMemoryType", "What the source is: it decides which of the next three fields is read."),
            ("srcHost", "The source for [`CU_MEMORYTYPE_HOST`]."),
            ("srcDevice", "The source for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`]."),
            ("srcArray", "The source for [`CU_MEMORYTYPE_ARRAY`]."),
            ("reserved0", "Must be null."),
            ("srcPitch", "Bytes from one source row to the next. Not read for an array."),
            ("srcHeight", "Rows from one source slice to the next. Not read for an array."),
            ("dstXInBytes", "Where in a row the destination begins, in bytes (not elements)."),
            ("dstY", "The destination's first row."),
            ("dstZ", "The destination's first slice or layer."),
            ("dstLOD", "Must be 0. A mip level is chosen by `cuMipmappedArrayGetLevel`."),
            ("dstMemoryType", "What the destination is: it decides which of the next three fields is read."),
            ("dstHost", "The destination for [`CU_MEMORYTYPE_HOST`]."),
            ("dstDevice", "The destination for [`CU_MEMORYTYPE_DEVICE`] and [`CU_MEMORYTYPE_UNIFIED`]."),
            ("dstArray", "The destination for [`CU_MEMORYTYPE_ARRAY`]."),
            ("reserved1", "Must be null."),
            ("dstPitch", "Bytes from one destination row to the next. Not read for an array."),
            ("dstHeight", "Rows from one destination slice to the next. Not read for an array."),
            ("WidthInBytes", "Bytes to copy of each row: elements times their size."),
            ("Height", "Rows to copy; 1 for an array of one dimension."),
            ("Depth", "Slices or layers to copy; 1 where there are none."),
        ],
    ),
    (
        &["CUmemAllocationProp"],
        &[
            ("type_", "[`CU_MEM_ALLOCATION_TYPE_PINNED`]."),
            (
                "requestedHandleTypes",
                "What the allocation can be exported as: for an FD that another API or process imports, \
                 [`CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`]. It cannot be added later.",
            ),
            ("location", "Where the memory is to be."),
            (
                "win32HandleMetaData",
                "For [`CU_MEM_HANDLE_TYPE_WIN32`], a pointer to a Windows `OBJECT_ATTRIBUTES` that says who may \
                 open the handle; else null.",
            ),
            ("allocFlags", "Rarely used properties."),
        ],
    ),
    (
        &["CUmemAllocationProp_allocFlags"],
        &[
            ("compressionType", "1 asks for memory that the hardware may compress; else 0."),
            ("gpuDirectRDMACapable", "1 asks for memory that other PCI Express devices can reach; else 0."),
            ("usage", "A hint about what the memory is for; 0 for none."),
            ("reserved", RESERVED),
        ],
    ),
    (
        &["CUmemAccessDesc"],
        &[("location", "Who is given access: a device."), ("flags", "What that device may do.")],
    ),
];
