//! The driver functions that the layer does not wrap, and why. A star matches the rest of a name.

use std::collections::BTreeSet;
use std::fs;

use super::get_proc_address::wrapped_functions;

const UNWRAPPED: &str = "
# asks, or changes no memory, array, stream or context
cuArray3DGet* cuArrayGet* cuCoredump* cuCtxGet* cuCtxFromGreenCtx cuCtxSet* cuCtxPop* cuCtxPush* cuCtxEnable*
cuCtxDisable* cuCtxReset* cuDevResource* cuDevSmResource* cuDeviceC* cuDeviceG* cuDevicePrimaryCtx* cuDeviceRegister*
cuDeviceSet* cuDeviceTotalMem* cuDeviceUnregister* cuDriverGetVersion cuFlushGPUDirectRDMAWrites cuGetE* cuGreenCtxGet*
cuLogs* cuMemAdvise* cuMemGet* cuMemRange* cuMipmappedArrayGet* cuOccupancy* cuPointer* cuProfiler*
cuStreamCopyAttributes* cuStreamGet* cuStreamIsCapturing* cuStreamSetAttribute* cuTensorMap*
cuThreadExchangeStreamCaptureMode
# code and its parameters: launches are wrapped
cuFunc* cuKernel* cuLibrary* cuLink* cuModule* cuParam*
# memory that is not a mapping of an import
cuIpc* cuLogicalEndpoint* cuMemAddress* cuMemAlloc* cuMemFreeHost cuMemHost* cuMemImportFromShareableHandle
cuMemMapArray* cuMemPool* cuMemRetain* cuMemSet* cuMulticast* cuArrayDestroy
# contexts are known from their first use on; green ones from cuGreenCtxCreate on, and their end is not seen
cuCtxAttach cuCtxCreate* cuCtxDetach cuGreenCtxDestroy cuGLCtxCreate* cuVDPAUCtxCreate*
# the first versions have addresses of 32 bits
cuArray3DCreate cuArrayCreate cuMemFree cuMemcpy2D cuMemcpy2DAsync cuMemcpy2DUnaligned cuMemcpy3D cuMemcpy3DAsync
cuMemcpyAto* cuMemcpyDto* cuMemcpyHto* cuMemsetD*
# launches of CUDA before 4.0
cuLaunch cuLaunchGrid cuLaunchGridAsync cuLaunchCooperativeKernelMultiDevice
# batches and transfers with attributes: what they touch is not seen
cuFabricCpyBatch* cuMemBatch* cuMemDiscard* cuMemPrefetch* cuMemcpyBatch* cuMemcpy3DBatch* cuMemcpyWithAttributes*
cuMemcpy3DWithAttributes* cuStreamAttachMem*
# new events, which nobody recorded yet
cuEventCreate*
# nodes without tracked objects, queries of graphs, and objects that a graph keeps until its end
cuGraphAddDependencies* cuGraphAddE* cuGraphAddMem* cuGraphBatch*
cuGraphChild* cuGraphConditional* cuGraphDebug* cuGraphEvent* cuGraphExecBatch* cuGraphExecEvent* cuGraphExecGet*
cuGraphExecHost* cuGraphExternalSemaphoresSignalNodeGet* cuGraphExternalSemaphoresWaitNodeGet* cuGraphGet*
cuGraphHost* cuGraphKernel* cuGraphMemAlloc* cuGraphMemFree* cuGraphMemcpyNodeGet* cuGraphMemsetNodeGet*
cuGraphNodeFind* cuGraphNodeGet* cuGraphRemove* cuGraphRelease* cuGraphRetain* cuGraphUpload* cuUserObject*
# captures: the graph is asked for at each captured call, and known where the program created it
cuStreamBeginCaptureTo* cuStreamBeginRecapture* cuStreamEndCaptureTo* cuStreamUpdateCapture*
# objects that read and write arrays: seen where they are made from a mapped array
cuSurfObject* cuSurfRef* cuTexObject* cuTexRef*
# graphics interoperability, which has no rules: two of its functions are wrapped, since they return arrays
cuEGLStream* cuGL* cuGraphics* cuVDPAU* cuWGL*
# checkpoints of whole processes: nothing that the layer tracks changes
cuCheckpoint*
# not symbols of the driver: cuda.h defines them inline
cuGetProcAddress_ptsz cuGetProcAddress_v2_ptsz
";

#[test]
#[cfg_attr(not(in_repository), ignore = "the list of the driver's functions is not in the package's archive")]
fn each_function_of_the_driver_is_wrapped_or_has_a_reason() {
    let list = concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/driver_exports.txt");
    let text = fs::read_to_string(list).expect("the driver's functions");
    let (mut all, mut versions) = (BTreeSet::new(), "");
    for word in text.split_whitespace() {
        if word.contains('=') {
            versions = word;
        } else {
            let suffixes = versions.split(',').filter_map(|version| version.split('=').next());
            all.extend(suffixes.map(|suffix| format!("cu{word}{suffix}")));
        }
    }
    let wrapped: BTreeSet<&str> = wrapped_functions().map(|one| one.real.name.to_str().unwrap()).collect();
    let is_of = |name: &str, pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let lines = || UNWRAPPED.lines().filter(|line| !line.starts_with('#'));
    let patterns = || lines().flat_map(str::split_whitespace);
    let (with_reason, without): (Vec<&str>, Vec<&str>) = all
        .iter()
        .map(String::as_str)
        .filter(|name| !wrapped.contains(name))
        .partition(|name| patterns().any(|pattern| is_of(name, pattern)));
    assert_eq!(without, [""; 0], "neither wrapped nor with a reason");
    for pattern in patterns() {
        assert!(with_reason.iter().any(|name| is_of(name, pattern)), "{pattern}: no function");
    }
    for name in wrapped {
        assert!(all.contains(name), "{name} is no function of the driver");
    }
}
