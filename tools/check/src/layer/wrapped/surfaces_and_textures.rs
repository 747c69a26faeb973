//! Functions that make surface and texture objects.

use cuda_external_sys::*;

use super::on_success::on_success;
use super::wrap_macro::wrap;
use crate::layer::core_checks::access_checks;
use crate::layer::state_tracker::tracked_objects::AccessKind;
use crate::layer::sync::call_accesses::memory_of_resource;

wrap! {
    cuSurfObjectCreate: PFN_cuSurfObjectCreate(surface, resource) |call|
        access_checks::create_view(call, surface, memory_of_resource(resource.as_ref()), AccessKind::MayWrite(0));
    cuTexObjectCreate: PFN_cuTexObjectCreate(texture, resource, description, view) |call|
        access_checks::create_view(call, texture, memory_of_resource(resource.as_ref()), AccessKind::Read);
    cuSurfObjectDestroy: PFN_cuSurfObjectDestroy(surface) |call|
        on_success(call, |state| state.objects.set_viewed_array(surface, None));
    cuTexObjectDestroy: PFN_cuTexObjectDestroy(texture) |call|
        on_success(call, |state| state.objects.set_viewed_array(texture, None));
}
