//! Functions that launch kernels, and functions for graph nodes that launch kernels.

use std::ffi::{c_uint, c_void};

use cuda_external_sys::*;

use crate::layer::chassis::wrapped_call::wrap;
use crate::layer::core_checks::graph_node_checks::{self, NodeTarget};
use crate::layer::core_checks::kernel_arguments::{self, KernelArguments};

/// The first fields of CUlaunchConfig.
#[repr(C)]
pub struct LaunchConfig {
    grid_and_block: [c_uint; 6],
    shared: c_uint,
    on: CUstream,
}

/// Points to the parameters of a kernel node. The first version of the struct ends before the field `kern`.
type KernelNodeParamsPointer = *const CUDA_KERNEL_NODE_PARAMS_v3;

wrap! {
    cuLaunchKernel / cuLaunchKernel_ptsz: PFN_cuLaunchKernel(
        function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, on, params, extra
    ) |call| {
        let stream = call.stream_key(on);
        kernel_arguments::launch_kernel(call, stream, &KernelArguments { function, params, extra })
    };
    cuLaunchCooperativeKernel / cuLaunchCooperativeKernel_ptsz(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint,
        block_z: c_uint, shared: c_uint, on: CUstream, params: *mut *mut c_void,
    ) |call| {
        let (stream, extra) = (call.stream_key(on), std::ptr::null_mut());
        kernel_arguments::launch_kernel(call, stream, &KernelArguments { function, params, extra })
    };
    cuLaunchKernelEx / cuLaunchKernelEx_ptsz(
        config: *const LaunchConfig, function: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void,
    ) |call| {
        let stream = config.as_ref().map_or(call.default_stream, |config| call.stream_key(config.on));
        kernel_arguments::launch_kernel(call, stream, &KernelArguments { function, params, extra })
    };
    // The first versions of the functions for kernel nodes.
    cuGraphAddKernelNode(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: KernelNodeParamsPointer,
    ) |call| graph_node_checks::set_kernel_node(call, NodeTarget::New { graph, out }, params, false);
    cuGraphKernelNodeSetParams(node: CUgraphNode, params: KernelNodeParamsPointer) |call|
        graph_node_checks::set_kernel_node(call, NodeTarget::Node(node), params, false);
    cuGraphExecKernelNodeSetParams(instance: CUgraphExec, node: CUgraphNode, params: KernelNodeParamsPointer) |call|
        graph_node_checks::set_kernel_node(call, NodeTarget::Instance { instance, node }, params, false);
    cuGraphAddKernelNode_v2(
        out: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, params: KernelNodeParamsPointer,
    ) |call| graph_node_checks::set_kernel_node(call, NodeTarget::New { graph, out }, params, true);
    cuGraphKernelNodeSetParams_v2(node: CUgraphNode, params: KernelNodeParamsPointer) |call|
        graph_node_checks::set_kernel_node(call, NodeTarget::Node(node), params, true);
    cuGraphExecKernelNodeSetParams_v2(instance: CUgraphExec, node: CUgraphNode, params: KernelNodeParamsPointer) |call|
        graph_node_checks::set_kernel_node(call, NodeTarget::Instance { instance, node }, params, true);
}
