//! Stream-ordered memory (cuMemAllocAsync, cuMemFreeAsync), and its pools.

use std::collections::BTreeMap;

use super::allocations::allocate_device_memory;
use crate::driver::addresses::address_ranges::PendingFree;
use crate::driver::driver_prelude::*;

type CUmemoryPool = *mut c_void;

struct MemoryPool {
    device: usize,
    /// The attributes 1 to 8, by their numbers in cuda.h. This driver supports no others.
    attributes: Mutex<[u64; 9]>,
}

/// The numbers of the attributes with the current reserved and used bytes.
const BYTE_COUNTS: [usize; 2] = [5, 7];

/// CU_MEM_ALLOCATION_TYPE_MANAGED, which cuda.h has since CUDA 13.0.
const MANAGED: c_uint = 2;

static POOLS: HandleRegistry<MemoryPool> = HandleRegistry::new(40, CUDA_ERROR_INVALID_VALUE);

impl MemoryPool {
    fn new(device: usize) -> Self {
        Self { device, attributes: Mutex::new([0, 1, 1, 1, 0, 0, 0, 0, 0]) }
    }

    fn change_used_bytes(&self, change: i64) {
        let mut attributes = lock(&self.attributes);
        for now in BYTE_COUNTS {
            attributes[now] = attributes[now].saturating_add_signed(change);
            if change > 0 {
                attributes[now + 1] = attributes[now + 1].max(attributes[now]);
            }
        }
    }
}

fn is_graph_allocation(kind: RangeKind) -> bool {
    kind.is_allocated_by(AllocationSource::Graph)
}

/// The address of memory that a node of a graph allocates. Dropping this value, with the node's work, frees the memory.
struct GraphAllocation(u64);

impl Drop for GraphAllocation {
    fn drop(&mut self) {
        address_ranges::remove_range_at(self.0, is_graph_allocation);
    }
}

/// The handles of each device's default pool, which lives as long as the process, and of its current pool.
static DEVICE_POOLS: Mutex<BTreeMap<usize, [u64; 2]>> = Mutex::new(BTreeMap::new());

fn default_and_current_pool(device: usize) -> [u64; 2] {
    *lock(&DEVICE_POOLS).entry(device).or_insert_with(|| [POOLS.register_object(MemoryPool::new(device)); 2])
}

/// The pools of allocations. Only cuMemFreeAsync lowers a pool's used bytes, not cuMemFree (measured, H100, 580.159).
static ALLOCATION_POOLS: Mutex<BTreeMap<u64, Arc<MemoryPool>>> = Mutex::new(BTreeMap::new());

/// Allocates memory in a capture. A new node of the captured graph owns the memory.
fn allocate_in_capture(stream: &stream_queue::Stream, size: usize) -> CudaResult<u64> {
    if size == 0 {
        return Ok(0);
    }
    let start = allocate_device_memory(&stream.context, size, AllocationSource::Graph)?;
    let node = GraphAllocation(start);
    stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEM_ALLOC, node, |_| Ok(())))?;
    Ok(start)
}

fn allocate_from_pool(stream: &stream_queue::Stream, size: usize, pool: &Arc<MemoryPool>) -> CudaResult<u64> {
    ensure(pool.device == stream.context.device, CUDA_ERROR_INVALID_DEVICE)?;
    if size == 0 {
        return Ok(0);
    }
    let start = allocate_device_memory(&stream.context, size, AllocationSource::Pool)?;
    pool.change_used_bytes(size as i64);
    lock(&ALLOCATION_POOLS).insert(start, pool.clone());
    Ok(start)
}

unsafe fn allocate_async(
    address: *mut CUdeviceptr,
    size: usize,
    pool: Option<CUmemoryPool>,
    stream: CUstream,
) -> CudaResult {
    let stream = find_usable_stream(stream)?;
    let pool = pool.map(|pool| POOLS.find_object(pool));
    let default = || POOLS.find_object(default_and_current_pool(stream.context.device)[1]);
    // SAFETY: `address` is null, or valid for a write.
    unsafe {
        if stream.is_capturing() {
            pool.transpose()?;
            return write_created(address, || allocate_in_capture(&stream, size));
        }
        refuse_during_capture()?;
        write_created(address, || allocate_from_pool(&stream, size, &pool.unwrap_or_else(default)?))
    }
}

fn find_pool(pool: CUmemoryPool) -> CudaResult<Arc<MemoryPool>> {
    refuse_during_capture()?;
    POOLS.find_object(pool)
}

/// Returns the index of an attribute in `attributes`, and whether the attribute's type is `int`.
fn pool_attribute_index(attribute: c_uint) -> CudaResult<(usize, bool)> {
    ensure_valid((1..=8).contains(&attribute))?;
    Ok((attribute as usize, attribute <= 3))
}

functions! {
    Init fn cuMemAllocAsync +_ptsz(address: *mut CUdeviceptr, size: usize, stream: CUstream) {
        allocate_async(address, size, None, stream)
    }
    Init fn cuMemAllocFromPoolAsync +_ptsz(
        address: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, stream: CUstream
    ) {
        allocate_async(address, size, Some(pool), stream)
    }
    Init fn cuMemFreeAsync +_ptsz(address: CUdeviceptr, stream: CUstream) {
        let stream = find_usable_stream(stream)?;
        let is_captured = stream.is_capturing();
        if !is_captured {
            refuse_during_capture()?;
        }
        if address == 0 {
            return Ok(());
        }
        if is_captured {
            ensure_valid(address_ranges::find_range_containing(address, is_graph_allocation).is_some())?;
            return stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEM_FREE, (), |()| Ok(())));
        }
        // The stream frees the memory after its earlier work, which can still use the memory.
        let (pending, size) = PendingFree::begin_free(address).ok_or(CUDA_ERROR_INVALID_VALUE)?;
        if let Some(pool) = lock(&ALLOCATION_POOLS).remove(&address) {
            pool.change_used_bytes(-(size as i64));
        }
        stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEM_FREE, pending, |_| Ok(())))
    }
    Init fn cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice) {
        write_out(pool, CUmemoryPool::from_number(default_and_current_pool(device_index(device)?)[0]))
    }
    Init fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, device: CUdevice) {
        write_out(pool, CUmemoryPool::from_number(default_and_current_pool(device_index(device)?)[1]))
    }
    Init fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        let device = device_index(device)?;
        ensure_valid(POOLS.find_object(pool)?.device == device)?;
        let [own, _] = default_and_current_pool(device);
        lock(&DEVICE_POOLS).insert(device, [own, pool.handle_number()]);
        Ok(())
    }
    Init fn cuMemPoolCreate(pool: *mut CUmemoryPool, props: *const CUmemPoolProps) {
        refuse_during_capture()?;
        ensure_valid(!pool.is_null())?;
        let props = read_param(props)?;
        ensure_valid(props.handleTypes.0 <= CU_MEM_HANDLE_TYPE_FABRIC.0)?;
        // This driver creates pools for export as a file descriptor, but does not implement the export.
        let has_handle = props.handleTypes != CU_MEM_HANDLE_TYPE_NONE;
        let is_fd = props.handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        ensure(props.allocType.0 != MANAGED, CUDA_ERROR_NOT_SUPPORTED)?;
        let is_device = props.location.type_ == CU_MEM_LOCATION_TYPE_DEVICE;
        ensure_valid(props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED && is_device)?;
        ensure(!has_handle || is_fd, CUDA_ERROR_NOT_SUPPORTED)?;
        let device = device_index(props.location.id).or(Err(CUDA_ERROR_INVALID_VALUE))?;
        POOLS.create_object(pool, None, || Ok(MemoryPool::new(device)))
    }
    Init fn cuMemPoolDestroy(pool: CUmemoryPool) {
        let found = find_pool(pool)?;
        let mut devices = lock(&DEVICE_POOLS);
        if let Some([own, used]) = devices.get_mut(&found.device) {
            ensure_valid(*own != pool.handle_number())?;
            if *used == pool.handle_number() {
                *used = *own;
            }
        }
        POOLS.destroy_object(pool)
    }
    Init fn cuMemPoolTrimTo(pool: CUmemoryPool, _kept: usize) { find_pool(pool).map(drop) }
    Init fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: c_uint, value: *mut c_void) {
        let pool = find_pool(pool)?;
        let (at, is_int) = pool_attribute_index(attribute)?;
        let number = lock(&pool.attributes)[at];
        if is_int { write_out(value.cast(), number as c_int) } else { write_out(value.cast(), number) }
    }
    Init fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_uint, value: *mut c_void) {
        let (at, is_int) = pool_attribute_index(attribute)?;
        let int = || read_param(value.cast::<c_uint>()).map(|number| u64::from(*number));
        let number = if is_int { int()? } else { *read_param(value.cast::<u64>())? };
        // A program can set the highest byte counts (6 and 8) only to zero, and the current ones (5 and 7) not at all.
        ensure_valid(at <= 4 || (at % 2 == 0 && number == 0))?;
        lock(&POOLS.find_object(pool)?.attributes)[at] = number;
        Ok(())
    }
    Init fn cuMemPoolSetAccess(pool: CUmemoryPool, descs: *const CUmemAccessDesc, count: usize) {
        let pool = POOLS.find_object(pool)?;
        let own = |desc: &CUmemAccessDesc| desc.location.id as usize == pool.device;
        ensure_valid(read_array(descs, count)?.iter().all(own))
    }
    Init fn cuMemPoolGetAccess(flags: *mut CUmemAccess_flags, pool: CUmemoryPool, location: *const CUmemLocation) {
        let is_own = POOLS.find_object(pool)?.device == device_index(read_param(location)?.id)?;
        write_out(flags, if is_own { CU_MEM_ACCESS_FLAGS_PROT_READWRITE } else { CU_MEM_ACCESS_FLAGS_PROT_NONE })
    }
}
