//! The calls that random programs are made of: a line for each, with how often it comes.
//!
//! | word | argument |
//! |---|---|
//! | `+pool` | where the function writes what it creates, which a pool keeps |
//! | `@pool` `-pool` | one of a pool; what the function ends |
//! | `~stream` | a stream, whose end is awaited after the call |
//! | `name=right/rarity\|wrong\|wrong` | a number: in one of `rarity` cases a wrong one. `+pool:0/20\|64` is added to a handle |
//! | `name#0/8\|1` | a descriptor: memory of CUDA, of Vulkan, dedicated; a binary semaphore, a timeline; a file, a socket, -1 |
//! | `{ offset.bytes:word … }` | a pointer to a struct with these fields |
//! | `?bytes` `_` | a place for a result, which is printed or not |
//! | `%` `!` | memory of the host, a host function |
//! | `^0s` `^1w` | the next value to signal or to wait for, of the binary semaphore and of the timeline |

pub const CALLS: &str = "
7 cuImportExternalMemory +import { 0.4:type=1/8|0|2|3|4|5|6|7|8|9|10|77 8.4:fd#0/1|0|0|1|1 24.8:size=0x200000/4|0|1|0x1000|0x10000|0x200001|0x400000|0x1000000000000000|-1 32.4:flags=0/8|1|2|0x80000000 36.4:reserved=0/40|1 }
2 cuImportExternalMemory +import { 0.4:type=1/8|0|2|5|6|9|77 8.4:fd#2 24.8:size=0x200000/4|0|1|0x1000|0x200001|0x400000|-1 32.4:flags=1/8|0|2|0x80000000 }
2 cuImportExternalMemory +odd { 0.4:type=1/8|0|2|9 8.4:fd#3/1|3|4|5|6|7 24.8:size=0x200000/4|0|1|0x1000|0x10000|-1 32.4:flags=0/8|1|2 }
8 cuExternalMemoryGetMappedBuffer +mapping @import { 0.8:offset=0/4|1|0x1000|0x10000|0x100000|0x200000|-4096 8.8:size=0x1000/2|0|1|0x10000|0x100000|0x200000|0x200000|0x200001|0x10000000000|0x2000 16.4:flags=0/20|1|0x80000000 20.4:reserved=0/40|1 }
1 cuExternalMemoryGetMappedBuffer +oddmap @odd { 0.8:offset=0/4|1|0x1000|0x200000|-4096 8.8:size=0x1000/2|0|1|0x10000|0x200000 16.4:flags=0/20|1 }
8 cuExternalMemoryGetMappedMipmappedArray +mipmap @import { 0.8:offset=0/5|1|512|0x10000|0x200000 8.8:width=64/4|0|1|100|0x1000 16.8:height=64/3|0|1|100|0x1000 24.8:depth=0/4|1|4|6 32.4:format=1/1|1|1|2|3|8|9|10|16|32|32|0xc0|0xc2|0xc8|0x50|0x7f 36.4:channels=4/4|1|2|3|0 40.4:flags=0/1|0|0|2|2|1|3|4|5|8|16|32|34|64|128|0x80000000 48.4:levels=1/4|0|2|7|8 52.4:reserved=0/40|1 }
1 cuExternalMemoryGetMappedMipmappedArray +oddmipmap @odd { 0.8:offset=0/5|1|0x10000 8.8:width=64/4|0|1 16.8:height=64/2|0|1|16 32.4:format=1/3|32|8 36.4:channels=4/4|1 40.4:flags=0/1|0|2|32|1 48.4:levels=1/8|0|2 }
4 cuMipmappedArrayGetLevel +array @mipmap level=0/3|1|6|7
3 cuArray3DGetDescriptor_v2 ?36 @array
4 cuSurfObjectCreate +surface { 0.4:kind=0/12|1|3|9 8.8:@array 136.4:flags=0/12|1 }
2 cuTexObjectCreate +texture { 0.4:kind=0/12|3|9 8.8:@array 136.4:flags=0/12|1 } { 0.4:mode=1/12|9 12.4:filter=0/12|1|7 16.4:flags=0/12|2|0x80000000 } zero=0
1 cuSurfObjectDestroy -surface
1 cuTexObjectDestroy -texture
2 cuMipmappedArrayDestroy -mipmap
1 cuMipmappedArrayDestroy -oddmipmap
4 cuMemFree_v2 -mapping:0/20|64|0x1000
1 cuMemFree_v2 -oddmap
3 cuDestroyExternalMemory -import
1 cuDestroyExternalMemory -odd
5 cuMemsetD8Async @mapping value=7 size=64/2|0|1|0x1000 ~stream
2 cuMemcpyDtoH_v2 % @mapping size=1/4|0|64
2 cuMemcpyHtoDAsync_v2 @mapping % size=64/4|0|0x1000 ~stream
1 cuMemsetD32_v2 @own value=7 count=16/4|0|0x10000000
1 cuMemcpyDtoD_v2 @own @mapping size=64/4|0|0x10000000
1 cuMemcpy2D_v2 { 16.4:from=3/12|0|9 40.8:@array 72.4:to=1/12|0|9 80.8:% 112.8:width=4/4|0|0x1000 120.8:height=1/4|0|64 }
4 cuImportExternalSemaphore +timeline { 0.4:type=9/0|0|1|2|3|4|5|6|7|8|10|11|77 8.4:fd#4 24.4:flags=0/12|1|0x80000000 28.4:reserved=0/40|1 }
2 cuImportExternalSemaphore +binary { 0.4:type=1/0|0|2|9 8.4:fd#3 24.4:flags=0/12|1|0x80000000 }
1 cuImportExternalSemaphore +oddsem { 0.4:type=1/1|0|1|2|3|4|5|6|7|8|9|10|11 8.4:fd#4/1|4|4|3|0|1|5|6|7 24.4:flags=0/12|1 }
4 cuSignalExternalSemaphoresAsync { 0.8:@timeline } { 0.8:^1s 72.4:flags=0/15|1|2|4 76.4:reserved=0/40|1 } count=1/20|0 ~stream
4 cuWaitExternalSemaphoresAsync { 0.8:@timeline } { 0.8:^1w 72.4:flags=0/15|1|2|4 76.4:reserved=0/40|1 } count=1/20|0 ~stream
2 cuSignalExternalSemaphoresAsync { 0.8:@binary } { 0.8:^0s 72.4:flags=0/15|1|2 } count=1/20|0 ~stream
2 cuWaitExternalSemaphoresAsync { 0.8:@binary } { 0.8:^0w 72.4:flags=0/15|1|2 } count=1/20|0 ~stream
2 cuDestroyExternalSemaphore -timeline
1 cuDestroyExternalSemaphore -binary
1 cuDestroyExternalSemaphore -oddsem
5 cuStreamCreate +stream flags=1/3|0|0|0|2|3
1 cuStreamCreateWithPriority +stream flags=1/3|0|2 priority=0/4|-5|3|-9
1 cuStreamDestroy_v2 -stream
1 cuStreamQuery @stream
1 cuStreamSynchronize @stream
1 cuStreamGetFlags @stream ?4
1 cuStreamGetPriority @stream ?4
1 cuStreamGetCtx @stream _
2 cuStreamIsCapturing @stream ?4
3 cuEventCreate +event flags=0/1|0|1|2|2|3|4|6|8
4 cuEventRecord @event ~stream
1 cuEventRecordWithFlags @event ~stream flags=0/3|1|2
2 cuEventSynchronize @event
3 cuEventQuery @event
1 cuEventElapsedTime _ @event @event
4 cuStreamWaitEvent ~stream @event flags=0/4|1|2
1 cuEventDestroy_v2 -event
1 cuLaunchHostFunc ~stream ! zero=0
2 cuGraphCreate +graph flags=0/4|1
2 cuStreamBeginCapture_v2 @stream mode=2/1|0|1|2|2|3
3 cuStreamEndCapture @stream +graph
2 cuGraphGetNodes @graph zero=0 ?8
2 cuGraphAddExternalSemaphoresWaitNode +node @graph zero=0 count=0/12|1 { 0.8:{ 0.8:@timeline } 8.8:{ 0.8:value=0 72.4:flags=0/12|1 } 16.4:count=1/8|0 }
1 cuGraphAddExternalSemaphoresWaitNode +node @graph { 0.8:@node } count=1/4|0 { 0.8:{ 0.8:@timeline } 8.8:{ 0.8:value=0 } 16.4:count=1 }
0 cuGraphAddExternalSemaphoresSignalNode +signal @graph zero=0 count=0/12|1 { 0.8:{ 0.8:@oddsem } 8.8:{ 0.8:value=0 } 16.4:count=1/8|0 }
1 cuGraphAddEmptyNode +node @graph zero=0 count=0/12|1
1 cuGraphAddMemsetNode +node @graph zero=0 count=0/12|1 { 0.8:@own 8.8:pitch=0/12|3 16.4:value=7 20.4:element=1/8|2|4|0|3 24.8:width=64/8|0|0x1000|0x10000000 32.8:height=1/8|0|2 } @context
1 cuGraphNodeGetType @node ?4
1 cuGraphExternalSemaphoresWaitNodeGetParams @node _
1 cuGraphExternalSemaphoresWaitNodeSetParams @node { 0.8:{ 0.8:@timeline } 8.8:{ 0.8:value=0 } 16.4:count=1/8|0 }
3 cuGraphInstantiateWithFlags +exec @graph flags=0/4|1|2|64|4|8|16
1 cuGraphExecExternalSemaphoresWaitNodeSetParams @exec @node { 0.8:{ 0.8:@timeline } 8.8:{ 0.8:value=0 } 16.4:count=1/8|0 }
3 cuGraphLaunch @exec ~stream
1 cuGraphExecDestroy -exec
1 cuGraphDestroyNode -node
1 cuGraphDestroy -graph
4 cuMemAlloc_v2 +own size=0x1000/3|0|1|0x4000000000000|-1
1 cuMemAllocPitch_v2 +own ?8 width=100/6|0 height=10/6|0 element=4/6|0|1|8|16|32
1 cuMemAllocAsync +own size=0x1000/6|0 ~stream
2 cuMemFree_v2 -own:0/8|256
1 cuMemFreeAsync -own:0/8|256 ~stream
2 cuMemAllocHost_v2 +host size=0x1000/4|0|1
1 cuMemHostAlloc +host size=0x1000/6|0 flags=0/3|1|2|4|7|8
1 cuMemHostGetDevicePointer_v2 _ @host flags=0/6|1
1 cuMemHostGetFlags ?4 @host
1 cuMemFreeHost -host:0/12|64
3 cuMemCreate +allocation size=0x200000/3|0|1|0x1000|0x300000 { 0.4:type=1/6|0|2|3 4.4:handle=1/3|0|0|2|3|8|77 8.4:location=1/6|0|2|3|9 12.4:device=0/4|99|-1 24.1:compression=0/40|1 25.1:rdma=0/40|1 } flags=0/20|1
2 cuMemAddressReserve +reserved size=0x200000/4|0|0x1000 alignment=0/4|3|0x1000|0x400000 hint=0 flags=0/20|1
3 cuMemMap @reserved size=0x200000/5|0|0x1000 offset=0/8|0x1000|0x200000 @allocation flags=0/20|1
2 cuMemSetAccess @reserved size=0x200000/5|0|0x1000 { 0.4:location=1/8|0|2|9 4.4:device=0/8|99|-1 8.4:flags=3/4|0|1|2|9 } count=1/8|0
2 cuMemUnmap @reserved size=0x200000/12|0|0x1000
1 cuMemAddressFree -reserved size=0x200000/12|0|0x1000
1 cuMemExportToShareableHandle _ @allocation type=1/4|0|2|4|8|77 flags=0/12|1
1 cuMemGetAllocationGranularity ?8 { 0.4:type=1/6|0|2|3 4.4:handle=1/3|0|2|8|77 8.4:location=1/6|0|2|3|9 12.4:device=0/4|99|-1 } option=0/4|1|2|9
2 cuMemRelease -allocation
2 cuMemGetAddressRange_v2 _ ?8 @mapping:0/3|1|64|100
1 cuPointerGetAttribute ?4 attribute=2/1|2|2|6|8|9|10|13|15|0|99 @mapping:0/4|64
1 cuPointerGetAttribute ?4 attribute=2/1|2|2|6|8|9|10|13|15|16|0|99 @own:0/4|64
1 cuIpcGetMemHandle % @own:0/4|64
1 cuCtxSynchronize
1 cuCtxGetDevice ?4
0 cuCtxGetCurrent _
0 cuDeviceGet ?4 ordinal=0|99|-1
0 cuDeviceGetCount ?4
0 cuDeviceGetName % length=64|0|-1 device=0|99|-1
0 cuDeviceGetUuid_v2 _ device=0|99|-1
0 cuDeviceGetLuid % _ device=0|99|-1
0 cuDeviceTotalMem_v2 _ device=0|99|-1
0 cuDeviceGetAttribute ?4 attribute=75|0|9999|-1 device=0|99|-1
0 cuDeviceGetPCIBusId % length=64|0|5|-1 device=0|99|-1
0 cuDeviceGetNvSciSyncAttributes % device=0|99|-1 flags=1|0|4
0 cuDevicePrimaryCtxGetState device=0|99|-1 ?4 ?4
0 cuDevicePrimaryCtxSetFlags_v2 device=0|99|-1 flags=8|3|0x80000000
0 cuDevicePrimaryCtxRetain _ device=0|99|-1
0 cuCtxGetApiVersion @context ?4
0 cuCtxGetFlags ?4
0 cuCtxGetLimit ?8 limit=0|1|7|9|99
0 cuCtxGetStreamPriorityRange ?4 ?4
0 cuGetErrorName code=1|0|5|9999 _
0 cuDriverGetVersion _
0 cuInit flags=0|1
0 cuStreamGetCaptureInfo_v2 @stream ?4 _ _ _ _
0 cuMemsetD2D8Async @own pitch=64|0|1 value=7 width=16|0|0x1000 height=4|0|0x1000 ~stream
0 cuMemcpyDtoHAsync_v2 % @own size=64|0|0x2000 ~stream
0 cuMemsetD16_v2 @own:0|1 value=7 count=16|0|0x1000
0 cuMemsetD32Async @own:0|1|2 value=7 count=16|0|0x1000 ~stream
0 cuMemImportFromShareableHandle +allocation fd=-1|9999 type=1|0|2|8
0 cuMemGetInfo_v2 _ _
0 cuMemRetainAllocationHandle +allocation @own
0 cuGraphicsUnregisterResource null=0
0 cuGraphicsMapResources count=1|0 null=0 ~stream
0 cuMemAllocManaged +own size=0 flags=1|0|4
0 cuGraphExternalSemaphoresSignalNodeGetParams @node _
0 cuGraphExternalSemaphoresSignalNodeSetParams @node { 0.8:{ 0.8:@timeline } 8.8:{ 0.8:value=0 } 16.4:count=1|0 }
0 cuGraphExecExternalSemaphoresSignalNodeSetParams @exec @node { 0.8:{ 0.8:@timeline } 8.8:{ 0.8:value=0 } 16.4:count=1|0 }
0 cuGraphAddNode_v2 +node @graph zero=0 zero=0 count=0|1 { 0.4:type=9|8|5|99 4.4:reserved=0|1 16.8:{ 0.8:@timeline } 24.8:{ 0.8:value=0 } 32.4:count=1|0 }
0 cuGraphNodeSetParams @node { 0.4:type=9|8|5|99 4.4:reserved=0|1 16.8:{ 0.8:@timeline } 24.8:{ 0.8:value=0 } 32.4:count=1|0 }
0 cuGraphExecNodeSetParams @exec @node { 0.4:type=9|8|5|99 4.4:reserved=0|1 16.8:{ 0.8:@timeline } 24.8:{ 0.8:value=0 } 32.4:count=1|0 }
0 cuMemcpy @own @mapping size=64|0|0x10000000
0 cuMemcpyDtoDAsync_v2 @own @mapping size=64|0|0x10000000 ~stream
0 cuMemcpyHtoD_v2 @own % size=64|0|0x2000
0 cuMemsetD8_v2 @own value=7 count=16|0|0x2000
0 cuMemcpy2DAsync_v2 { 16.4:from=3|0|9 40.8:@array 72.4:to=1|2|0 80.8:% 112.8:width=4|0|0x1000 120.8:height=1|0|64 } ~stream
0 cuMemcpy3D_v2 { 24.8:lod=0|1 32.4:from=3|0|9 56.8:@array 120.4:to=1|2|0 128.8:% 176.8:width=4|0|0x1000 184.8:height=1|0|64 192.8:depth=1|0|2 }
0 cuMemHostRegister_v2 % size=0x1000|0 flags=0|1|4|16
0 cuMemHostRegister_v2 @host size=0x1000|0 flags=0|4|16
0 cuMemHostUnregister @host
0 cuGetErrorString code=1|0|9999 _
0 cuGraphAddNode +node @graph zero=0 count=0|1 { 0.4:type=9|8|5|99 16.8:{ 0.8:@timeline } 24.8:{ 0.8:value=0 } 32.4:count=1|0 }
0 cuGraphicsUnmapResources count=1|0 null=0 ~stream
0 cuGraphicsResourceGetMappedPointer_v2 _ _ null=0
0 cuGraphicsSubResourceGetMappedArray _ null=0 index=0 level=0
0 cuIpcCloseMemHandle @own
0 cuModuleLoadData +module %
0 cuModuleUnload null=0
0 cuMemGetHandleForAddressRange _ @own size=0x200000|0 type=1|0|2 flags=0|9
0 cuSignalExternalSemaphoresAsync_ptsz { 0.8:@timeline } { 0.8:^1s 72.4:flags=0|1 } count=1|0 ~stream
0 cuWaitExternalSemaphoresAsync_ptsz { 0.8:@timeline } { 0.8:^1w 72.4:flags=0|1 } count=1|0 ~stream
0 cuDevicePrimaryCtxRelease_v2 device=99|-1
0 cuStreamAddCallback ~stream ! zero=0 flags=0|1
0 cuPointerGetAttributes count=1|0 { 0.4:attribute=2|99 } { 0.8:_ } @own
0 cuArray3DCreate_v2 +ownarray { 0.8:width=64|0|0x100000 8.8:height=64|0 16.8:depth=0|1|6 24.4:format=1|32|0xc0|0x7f 28.4:channels=4|1|3|0 32.4:flags=0|2|1|4 }
0 cuArrayDestroy -ownarray
0 cuMipmappedArrayCreate +ownmipmap { 0.8:width=64|0|0x100000 8.8:height=64|0 24.4:format=1|0x7f 28.4:channels=4|3 32.4:flags=0|2|4 } levels=1|0|2
0 cuMipmappedArrayDestroy -ownmipmap
0 cuMemPoolCreate +pool { 0.4:type=1|0|2 4.4:handle=0|1|77 8.4:location=1|0|9 12.4:device=0|99|-1 }
0 cuMemAllocFromPoolAsync +own size=0x1000|0 @pool ~stream
0 cuMemPoolGetAttribute @pool attribute=4|1|0|99 _
0 cuMemPoolTrimTo @pool size=0
0 cuMemPoolDestroy -pool
0 cuDeviceGetDefaultMemPool _ device=0|99|-1
0 cuCtxSetLimit limit=0|7|9|99 value=2048
0 cuCtxEnablePeerAccess @context flags=0|1
0 cuDeviceCanAccessPeer ?4 device=0|99 other=0|99
0 cuEventElapsedTime_v2 _ @event @event
0 cuStreamGetDevice @stream ?4
0 cuStreamGetId @stream _
0 cuCtxPopCurrent_v2 _
0 cuCtxPushCurrent_v2 @context
0 cuCtxSetCurrent @context
0 cuCtxDestroy_v2 @context
0 cuCtxCreate_v2 +created flags=0|3|0x80000000 device=0|99|-1
";
