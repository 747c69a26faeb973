//! Ends the objects of a context when the context ends.

use cuda_external_sys::*;

use crate::layer::chassis::process_state::ProcessState;
use crate::layer::error_messages::finding::Finding;
use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::tracked_objects::ObjectEnd;
use crate::rules::{Rule, rules};

rules! {
    NOT_FREED 30 "not-freed" LIFETIMES Guide "External Resource Interoperability" ByDefault
        "A mapping or an import is still alive when its context ends or when the process exits. While imported memory \
         or one of its mappings is alive, the exporter's allocation is not freed (measured)."
        "Before the context or the process ends, free every mapping (cuMemFree, cuMipmappedArrayDestroy) and destroy \
         every import (cuDestroyExternalMemory, cuDestroyExternalSemaphore).";
}

pub struct ContextTeardown {
    context: usize,
    alive: Vec<u32>,
    lost: Option<(CUresult, CallSite)>,
}

impl ProcessState {
    pub fn end_context(&mut self, context: usize, mut alive: Vec<u32>, site: &CallSite) -> ContextTeardown {
        alive.retain(|number| self.objects.get_object(*number).is_some_and(|object| object.ended.is_none()));
        let lost = self.lost.remove(&context);
        for number in &alive {
            self.end_object(*number, ObjectEnd::WithContext, site.clone());
        }
        for object in self.objects.all_objects_mut() {
            object.uses.retain(|used| used.event.context != context);
        }
        self.events.forget_context_events(context);
        self.contexts_ended += 1;
        ContextTeardown { context, alive, lost }
    }

    pub fn finish_context_teardown(&mut self, call: &'static str, ended: ContextTeardown, has_ended: bool) {
        let ContextTeardown { context, alive, lost } = ended;
        if !has_ended {
            for number in alive {
                self.revive_object(number);
            }
            if let Some(lost) = lost {
                self.lost.insert(context, lost);
            }
        } else if lost.is_none() {
            for number in alive {
                let text = format!("The object is alive when {call} ends its context.");
                self.report_finding(Finding::new(Rule::NOT_FREED, call, text).about_object(number));
            }
        }
    }
}
