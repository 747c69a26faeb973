//! The accesses of a command buffer to memory that may be shared, and its bindings while it is recorded.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ash::vk;

use crate::layer::state_tracker::tracked_objects::AccessKind;

use crate::layer::vulkan::state_tracker::derived_objects::{DerivedObject, PipelineUse, SetContents};
use crate::layer::vulkan::sync::access_history::{RecordedCommand, Subresource};

#[derive(Clone, Default)]
pub struct CmdBufferState {
    pub commands: Vec<RecordedCommand>,
    sets: HashMap<(vk::PipelineBindPoint, u32), SetContents>,
    pipelines: HashMap<vk::PipelineBindPoint, Arc<PipelineUse>>,
    vertices: BTreeMap<u32, Subresource>,
    pub indices: Option<Subresource>,
}

impl CmdBufferState {
    /// A command is recorded. One that repeats what was done since the last barrier says nothing new.
    pub fn record(&mut self, new: RecordedCommand) {
        let is_use = |of: &&RecordedCommand| matches!(of, RecordedCommand::ObjectUse(..));
        let since = self.commands.iter().rev().take_while(is_use);
        let (RecordedCommand::ObjectUse(extent, does, _), mut since) = (new, since) else {
            return self.commands.push(new);
        };
        let is_same = |of: &RecordedCommand| matches!(of, RecordedCommand::ObjectUse(other, done, _) if (*other, *done) == (extent, does));
        if !since.any(is_same) {
            self.commands.push(new);
        }
    }

    pub fn bind_set(&mut self, at: (vk::PipelineBindPoint, u32), contents: SetContents) {
        if contents.is_empty() {
            self.sets.remove(&at);
        } else {
            self.sets.insert(at, contents);
        }
    }

    /// The contents of what is bound, to be changed by a push.
    pub fn set(&self, at: (vk::PipelineBindPoint, u32)) -> SetContents {
        self.sets.get(&at).cloned().unwrap_or_default()
    }

    pub fn bind_pipeline(&mut self, point: vk::PipelineBindPoint, pipeline: Option<&DerivedObject>) {
        match pipeline {
            Some(DerivedObject::Pipeline(pipeline)) => _ = self.pipelines.insert(point, pipeline.clone()),
            _ => _ = self.pipelines.remove(&point),
        }
    }

    pub fn bind_vertices(&mut self, binding: u32, extent: Option<Subresource>) {
        self.vertices.remove(&binding);
        self.vertices.extend(extent.map(|extent| (binding, extent)));
    }

    /// A draw, a dispatch or a trace uses what is bound.
    pub fn record_draw(&mut self, point: vk::PipelineBindPoint, is_indexed: bool, by: &'static str) {
        // Most programs bind little that is shared.
        let has_none = self.sets.is_empty() && self.vertices.is_empty() && self.indices.is_none();
        let Some(pipeline) = self.pipelines.get(&point).filter(|_| !has_none).cloned() else { return };
        for binding in &pipeline.bindings {
            let contents = self.sets.get(&(point, binding.set));
            let Some(extent) = contents.and_then(|of| of.get(&binding.binding)).copied() else { continue };
            for (_, does) in [(binding.reads, AccessKind::Read), (binding.writes, AccessKind::Write)]
                .iter()
                .filter(|of| of.0)
            {
                self.record(RecordedCommand::ObjectUse(extent, *does, by));
            }
        }
        let vertices = pipeline.vertices.iter().filter_map(|binding| self.vertices.get(binding));
        let read: Vec<Subresource> = vertices.copied().chain(self.indices.filter(|_| is_indexed)).collect();
        for extent in read {
            self.record(RecordedCommand::ObjectUse(extent, AccessKind::Read, by));
        }
    }
}
