//! Memory that is allocated and freed in the order of a stream, and the pools that it comes from.

use std::collections::BTreeMap;

use super::allocations;
use crate::driver::addresses::address_ranges::{self, AllocationSource, PendingFree, RangeKind};
use crate::driver::base::device_ids;
use crate::driver::base::prelude::*;
use crate::driver::streams::capture_state;
use crate::driver::streams::queued_work::QueuedWork;
use crate::driver::streams::stream_queue;

type CUmemoryPool = *mut c_void;

struct MemoryPool {
    device: usize,
    /// The attributes of cuda.h, by number: three switches, the release threshold, then the reserved and the used
    /// bytes, each with its current and its highest value.
    attributes: Mutex<[u64; 9]>,
}

const RESERVED: usize = 5;
const USED: usize = 7;

/// CU_MEM_ALLOCATION_TYPE_MANAGED, which only newer headers have, and the last kind of location.
const MANAGED: c_uint = 2;
const MOST_LOCATION: c_uint = 4;

static POOLS: HandleRegistry<MemoryPool> = HandleRegistry::new(40, CUDA_ERROR_INVALID_VALUE);

impl MemoryPool {
    fn new(device: usize) -> Self {
        Self { device, attributes: Mutex::new([0, 1, 1, 1, 0, 0, 0, 0, 0]) }
    }

    fn add_used_bytes(&self, size: u64) {
        let mut attributes = lock(&self.attributes);
        for now in [RESERVED, USED] {
            attributes[now] += size;
            attributes[now + 1] = attributes[now + 1].max(attributes[now]);
        }
    }

    fn remove_used_bytes(&self, size: u64) {
        let mut attributes = lock(&self.attributes);
        for now in [RESERVED, USED] {
            attributes[now] = attributes[now].saturating_sub(size);
        }
    }
}

struct GraphAllocation(u64);

impl Drop for GraphAllocation {
    fn drop(&mut self) {
        address_ranges::remove_range_at(self.0, |kind| {
            matches!(kind, RangeKind::Own { of: AllocationSource::Graph, .. })
        });
    }
}

/// Each device's own pool, which lives as long as the process, and the one that it uses now.
static DEVICE_POOLS: Mutex<BTreeMap<usize, [u64; 2]>> = Mutex::new(BTreeMap::new());

fn own_and_current_pool(device: usize) -> [u64; 2] {
    *lock(&DEVICE_POOLS).entry(device).or_insert_with(|| [POOLS.add_object(MemoryPool::new(device)); 2])
}

static ALLOCATION_POOLS: Mutex<BTreeMap<u64, Arc<MemoryPool>>> = Mutex::new(BTreeMap::new());

unsafe fn allocate_async(
    address: *mut CUdeviceptr,
    size: usize,
    pool: Option<CUmemoryPool>,
    stream: CUstream,
) -> CudaResult {
    let stream = stream_queue::find_usable_stream(stream)?;
    if stream.is_capturing() {
        pool.map(|pool| POOLS.find_object(pool)).transpose()?;
        // The memory ends with the graph's node.
        ensure_valid(!address.is_null())?;
        if size == 0 {
            return unsafe { write_out(address, 0) };
        }
        let start =
            allocations::allocate_device_memory(&stream.context, size as u64, AllocationSource::Graph)?;
        stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEM_ALLOC, GraphAllocation(start), |_| {
            Ok(())
        }))?;
        return unsafe { write_out(address, start) };
    }
    capture_state::refuse_during_capture()?;
    ensure_valid(!address.is_null())?;
    let pool = match pool {
        Some(pool) => POOLS.find_object(pool)?,
        None => POOLS.find_object(own_and_current_pool(stream.context.device)[1])?,
    };
    ensure(pool.device == stream.context.device, CUDA_ERROR_INVALID_DEVICE)?;
    // SAFETY: the caller passes valid pointers, here and below.
    if size == 0 {
        return unsafe { write_out(address, 0) };
    }
    let start = allocations::allocate_device_memory(&stream.context, size as u64, AllocationSource::Pool)?;
    pool.add_used_bytes(size as u64);
    lock(&ALLOCATION_POOLS).insert(start, pool);
    unsafe { write_out(address, start) }
}

/// Frees memory. Work that is already in the stream can use it until that work ends.
fn free_async(address: CUdeviceptr, stream: CUstream) -> CudaResult {
    let stream = stream_queue::find_usable_stream(stream)?;
    let is_captured = stream.is_capturing();
    if !is_captured {
        capture_state::refuse_during_capture()?;
    }
    if address == 0 {
        return Ok(());
    }
    if is_captured {
        let of_graph = address_ranges::find_range_at(address, |kind| {
            matches!(kind, RangeKind::Own { of: AllocationSource::Graph, .. })
        });
        ensure_valid(of_graph.is_some())?;
        return stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEM_FREE, (), |()| Ok(())));
    }
    let (pending, size) = PendingFree::begin(address).ok_or(CUDA_ERROR_INVALID_VALUE)?;
    if let Some(pool) = lock(&ALLOCATION_POOLS).remove(&address) {
        pool.remove_used_bytes(size);
    }
    stream.enqueue_work(QueuedWork::new(CU_GRAPH_NODE_TYPE_MEM_FREE, pending, |_| Ok(())))
}

fn find_pool(pool: CUmemoryPool) -> CudaResult<Arc<MemoryPool>> {
    capture_state::refuse_during_capture()?;
    POOLS.find_object(pool)
}

fn attribute_index(attribute: c_uint) -> CudaResult<(usize, bool)> {
    ensure_valid((1..=8).contains(&attribute))?;
    Ok((attribute as usize, attribute <= 3))
}

functions! {
    Init fn cuMemAllocAsync +_ptsz(address: *mut CUdeviceptr, size: usize, stream: CUstream) {
        allocate_async(address, size, None, stream)
    }
    Init fn cuMemAllocFromPoolAsync +_ptsz(address: *mut CUdeviceptr, size: usize, pool: CUmemoryPool, stream: CUstream) {
        allocate_async(address, size, Some(pool), stream)
    }
    Init fn cuMemFreeAsync +_ptsz(address: CUdeviceptr, stream: CUstream) {
        free_async(address, stream)
    }
    Init fn cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice) {
        write_out(pool, CUmemoryPool::from_number(own_and_current_pool(device_ids::device_index(device)?)[0]))
    }
    Init fn cuDeviceGetMemPool(pool: *mut CUmemoryPool, device: CUdevice) {
        write_out(pool, CUmemoryPool::from_number(own_and_current_pool(device_ids::device_index(device)?)[1]))
    }
    Init fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        let device = device_ids::device_index(device)?;
        ensure_valid(POOLS.find_object(pool)?.device == device)?;
        let [own, _] = own_and_current_pool(device);
        lock(&DEVICE_POOLS).insert(device, [own, pool.handle_number()]);
        Ok(())
    }
    Init fn cuMemPoolCreate(pool: *mut CUmemoryPool, props: *const CUmemPoolProps) {
        capture_state::refuse_during_capture()?;
        ensure_valid(!pool.is_null())?;
        let props = read_param(props)?;
        ensure_valid(props.handleTypes.0 <= CU_MEM_HANDLE_TYPE_FABRIC.0)?;
        // A pool whose handle is a descriptor can be created. Exporting it is not implemented.
        let has_handle = props.handleTypes != CU_MEM_HANDLE_TYPE_NONE;
        let is_fd = props.handleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
        let number = props.location.id;
        let number = match (props.allocType.0, props.location.type_) {
            (MANAGED, CU_MEM_LOCATION_TYPE_DEVICE) if !has_handle => number,
            (MANAGED, CU_MEM_LOCATION_TYPE_INVALID) if !has_handle && number == 0 => 0,
            (MANAGED, location) if !has_handle && location.0 > MOST_LOCATION => return Err(CUDA_ERROR_NOT_SUPPORTED),
            (_, CU_MEM_LOCATION_TYPE_DEVICE) if props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED => number,
            _ => return Err(CUDA_ERROR_INVALID_VALUE),
        };
        ensure(!has_handle || is_fd, CUDA_ERROR_NOT_SUPPORTED)?;
        let device = device_ids::device_index(number).or(Err(CUDA_ERROR_INVALID_VALUE))?;
        POOLS.create_object(pool, || Ok(MemoryPool::new(device)))
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
        let (at, is_int) = attribute_index(attribute)?;
        let number = lock(&pool.attributes)[at];
        if is_int { write_out(value.cast(), number as c_int) } else { write_out(value.cast(), number) }
    }
    Init fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_uint, value: *mut c_void) {
        let (at, is_int) = attribute_index(attribute)?;
        let number = if is_int {
            u64::from(*read_param(value.cast::<c_uint>())?)
        } else {
            *read_param(value.cast::<u64>())?
        };
        // The highest numbers of used and reserved bytes can only be set to zero.
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
        let is_own = POOLS.find_object(pool)?.device == device_ids::device_index(read_param(location)?.id)?;
        write_out(flags, if is_own { CU_MEM_ACCESS_FLAGS_PROT_READWRITE } else { CU_MEM_ACCESS_FLAGS_PROT_NONE })
    }
}
