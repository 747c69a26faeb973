//! What is checked wherever a function gets a handle.

use std::sync::Arc;
use std::time::Duration;

use cuda_external_sys::*;

use crate::layer::driver;
use crate::layer::events::Event;
use crate::layer::objects::{Found, How, Kind};
use crate::layer::report::Finding;
use crate::layer::state::State;
use crate::rules::Rule;

/// The object of a handle, or what the call is to return without the driver.
pub type Checked = Result<Option<u32>, CUresult>;

impl State {
    /// What a call returns in place of the driver's crash: None where the program is to have the crash.
    pub fn instead(&self, code: CUresult) -> Option<CUresult> {
        (!self.output.options.let_crash).then_some(code)
    }

    /// Returns the import that a handle stands for. A handle that stands for none is reported; what the driver does with it
    /// is not certain, so it is not called.
    pub fn import_of(&mut self, call: &'static str, handle: u64, kind: Kind, ends: bool) -> Checked {
        let (finding, code) = match self.objects.by_handle(handle) {
            Found::Alive(number) => {
                let found = self.objects.get(number).map(|object| object.kind);
                if found == Some(kind) {
                    return Ok(Some(number));
                }
                let text = format!("It is not the handle of an {}.", kind.name());
                (Finding::new(Rule::HandleWrongKind, call, text).about(number), CUDA_ERROR_INVALID_HANDLE)
            }
            Found::Ended(number) => {
                let ended = self.objects.get(number).and_then(|object| object.ended.as_ref());
                let (rule, text, code) = match ended {
                    Some((How::WithContext, _)) => {
                        (Rule::HandleContextGone, "Its context is gone.", CUDA_ERROR_CONTEXT_IS_DESTROYED)
                    }
                    _ if ends => {
                        (Rule::HandleDestroyedTwice, "It was destroyed before.", CUDA_ERROR_INVALID_HANDLE)
                    }
                    _ => (Rule::HandleDestroyed, "It was destroyed before.", CUDA_ERROR_INVALID_HANDLE),
                };
                (Finding::new(rule, call, text.to_owned()).about(number), code)
            }
            Found::Unknown => {
                let text = format!("No import of this process returned the handle {handle:#x}.");
                (Finding::new(Rule::HandleUnknown, call, text), CUDA_ERROR_INVALID_HANDLE)
            }
        };
        let answer = self.instead(code);
        self.report(finding.answered(answer));
        answer.map_or(Ok(None), Err)
    }

    /// Reports where the thread has no context, or another one than an import. Work may also be of the stream's context.
    /// Returns the context that is current, or 0.
    pub fn check_context(&mut self, call: &'static str, import: Option<u32>, stream: Option<usize>) -> usize {
        match driver::current() {
            None => 0,
            Some(0) => {
                let text = "No context is current in this thread.".to_owned();
                self.report(Finding::new(Rule::NoCurrentContext, call, text));
                0
            }
            Some(current) => {
                self.check_current(call, current, import, stream);
                current
            }
        }
    }

    fn check_current(
        &mut self,
        call: &'static str,
        current: usize,
        import: Option<u32>,
        stream: Option<usize>,
    ) {
        let Some(number) = import else { return };
        let Some(context) = self.objects.get(number).map(|object| object.context) else { return };
        if context == current || context == 0 || self.has_green_contexts {
            return;
        }
        if stream.is_some_and(|stream| stream > 2 && driver::context_of(stream) == context) {
            return;
        }
        let text = format!("It was imported in context {context:#x}; the current one is {current:#x}.");
        self.report(Finding::new(Rule::HandleOtherContext, call, text).about(number));
    }

    /// Reports work that uses an object and is not done.
    pub fn check_in_use(&mut self, call: &'static str, number: u32) {
        let Some(object) = self.objects.get(number) else { return };
        // Another API may have seen a signal, after which the program ends the semaphore rightly, before the event is done.
        let patience = |is_signal| if is_signal { Duration::from_millis(1) } else { Duration::ZERO };
        let is_pending =
            |(_, event, is_signal): &&(usize, Arc<Event>, bool)| event.is_pending(patience(*is_signal));
        if let Some((stream, ..)) = object.uses.iter().find(is_pending) {
            let stream = match stream {
                1 => "the default stream".to_owned(),
                stream if stream & 0xffff_ffff == 2 => "a thread's default stream".to_owned(),
                stream => format!("stream {stream:#x}"),
            };
            let text = format!("Work in {stream} that uses it is not done.");
            self.report(Finding::new(Rule::DestroyedInUse, call, text).about(number));
        }
    }

    /// Reports the graphs that would use an object after its end.
    pub fn check_graphs(&mut self, call: &'static str, number: u32) {
        if let Some(graph) = self.graphs.using(number) {
            self.report(Finding::new(Rule::GraphAlive, call, format!("{graph} uses it.")).about(number));
        }
    }

    pub fn check_reserved(&mut self, call: &'static str, what: &str, is_zero: bool) {
        if !is_zero {
            let text = format!("A reserved field of {what} is not zero.");
            self.report(Finding::new(Rule::ReservedNotZero, call, text));
        }
    }
}
