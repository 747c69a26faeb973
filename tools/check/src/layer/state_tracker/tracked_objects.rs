//! The imports and mappings that the program made with CUDA, and their state.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use crate::layer::host_process::current_process::CallSite;
use crate::layer::state_tracker::event_pool::PooledEvent;
use crate::object_description::ObjectDescription;
pub use crate::object_description::ObjectKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectEnd {
    Freed,
    WithContext,
}

#[derive(Default)]
pub struct TrackedObject {
    pub number: u32,
    /// The handle, or the address of a mapped buffer.
    pub handle: u64,
    pub context: usize,
    pub about: ObjectDescription,
    pub made: CallSite,
    pub ended: Option<(ObjectEnd, CallSite)>,
    /// The number of a mapping's import, or 0.
    pub import: u32,
    /// The live mappings of an import.
    pub mappings: BTreeSet<u32>,
    /// The greatest value that each stream signaled, if the object is a timeline.
    pub signaled: HashMap<usize, u64>,
    /// For each stream, the last work that uses the object.
    pub uses: Vec<PendingWork>,
    /// If the object counts as live: its index in the shared file's list, or `None` if the list had no room.
    pub listed: Option<Option<u32>>,
}

#[derive(Clone)]
pub struct PendingWork {
    /// The stream's identity, or 0 if the stream was destroyed since.
    pub stream: usize,
    pub event: Arc<PooledEvent>,
    /// Whether the work is a signal, whose end another API can see.
    pub is_signal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Read,
    Write,
    /// A kernel that gets the address or surface may write. The number is the kernel's CUfunction, or 0 in `views`.
    MayWrite(u64),
}

/// The range of a mapping that work accesses. `address` is `None` for an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectAccess {
    pub address: Option<u64>,
    pub size: u64,
    pub does: AccessKind,
}

/// A use of an object by work. `signals` repeats `value` if the work signals a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectUse {
    pub object: u32,
    pub is_signal: bool,
    pub signals: Option<u64>,
    pub value: u64,
    pub touch: Option<ObjectAccess>,
}

impl ObjectUse {
    pub fn memory_use(object: u32, touch: Option<ObjectAccess>) -> Self {
        Self { object, is_signal: false, signals: None, value: 0, touch }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectLookup {
    Alive(u32),
    Ended(u32, ObjectEnd),
    Unknown,
}

const REMEMBERED: usize = if cfg!(miri) { 20 } else { 1000 };

#[derive(Default)]
pub struct ObjectTable {
    made: u32,
    all: BTreeMap<u32, TrackedObject>,
    ended: VecDeque<u32>,
    /// Imports and mipmapped arrays by their handles, and mipmapped arrays by the handles of their levels.
    handles: HashMap<u64, u32>,
    levels: HashMap<u64, u32>,
    /// The mapped buffers by their addresses, with their sizes and numbers.
    addresses: BTreeMap<u64, (u64, u32)>,
    /// Surfaces and textures by their handles: the mapping, and how a kernel may access it.
    views: HashMap<u64, (u32, AccessKind)>,
}

impl ObjectTable {
    /// Records an object. A handle or an address that an ended object had leads to the new object from now on.
    pub fn track_object(&mut self, mut object: TrackedObject) -> u32 {
        self.made += 1;
        let number = self.made;
        object.number = number;
        match object.about.object_kind() {
            ObjectKind::Buffer => {
                let size = object.about.described_size();
                self.forget_addresses(object.handle, size);
                self.addresses.insert(object.handle, (size, number));
            }
            _ => _ = self.handles.insert(object.handle, number),
        }
        if let Some(import) = self.all.get_mut(&object.import) {
            import.mappings.insert(number);
        }
        self.all.insert(number, object);
        number
    }

    pub fn forget_stream(&mut self, stream: usize) {
        for object in self.all.values_mut() {
            object.signaled.remove(&stream);
            for used in object.uses.iter_mut().filter(|used| used.stream == stream) {
                used.stream = 0;
            }
        }
    }

    pub fn get_object(&self, number: u32) -> Option<&TrackedObject> {
        self.all.get(&number)
    }

    pub fn get_object_mut(&mut self, number: u32) -> Option<&mut TrackedObject> {
        self.all.get_mut(&number)
    }

    fn look_up_object(&self, number: Option<&u32>) -> ObjectLookup {
        let Some(object) = number.and_then(|number| self.all.get(number)) else {
            return ObjectLookup::Unknown;
        };
        match object.ended {
            Some((how, _)) => ObjectLookup::Ended(object.number, how),
            None => ObjectLookup::Alive(object.number),
        }
    }

    pub fn find_object_by_handle(&self, handle: u64) -> ObjectLookup {
        self.look_up_object(self.handles.get(&handle))
    }

    pub fn find_array_by_level(&self, array: u64) -> ObjectLookup {
        self.look_up_object(self.levels.get(&array))
    }

    pub fn find_buffer_by_start(&self, address: u64) -> ObjectLookup {
        self.look_up_object(self.addresses.get(&address).map(|(_, number)| number))
    }

    pub fn find_buffer_by_address(&self, address: u64) -> ObjectLookup {
        let before = self.addresses.range(..=address).next_back();
        let inside = before.filter(|(start, (size, _))| address - *start < *size);
        self.look_up_object(inside.map(|(_, (_, number))| number))
    }

    /// Records the mapped array that has this level, or forgets the level if its array is not mapped (`None`).
    pub fn set_level_array(&mut self, level: u64, array: Option<u32>) {
        self.levels.remove(&level);
        self.levels.extend(array.map(|array| (level, array)));
    }

    /// Records the mapping that a surface or a texture accesses, or `None` if it accesses no mapping or is destroyed.
    pub fn set_viewed_array(&mut self, handle: u64, of: Option<(u32, AccessKind)>) {
        self.views.remove(&handle);
        self.views.extend(of.map(|of| (handle, of)));
    }

    pub fn viewed_array(&self, handle: u64) -> Option<(u32, AccessKind)> {
        let alive = |(array, _): &(u32, AccessKind)| {
            self.get_object(*array).is_some_and(|array| array.ended.is_none())
        };
        self.views.get(&handle).copied().filter(alive)
    }

    /// Forgets the array that had this handle, since the driver gave the handle to a new array.
    pub fn forget_array_handle(&mut self, handle: u64) {
        self.handles.remove(&handle);
        self.levels.remove(&handle);
    }

    pub fn forget_addresses(&mut self, start: u64, size: u64) {
        let has_ended = |number: &u32| self.all.get(number).is_some_and(|object| object.ended.is_some());
        let before = self.addresses.range(..start.saturating_add(size.max(1))).rev().take(8);
        let overlaps = before.filter(|(at, (of, _))| start < at.saturating_add(*of));
        let gone = overlaps.filter(|(_, (_, number))| has_ended(number)).map(|(at, _)| *at);
        for at in gone.collect::<Vec<_>>() {
            self.addresses.remove(&at);
        }
    }

    /// Returns the mappings by cuMemMap that begin in a range of addresses. Such mappings have no import.
    pub fn mappings_of_cuda_memory(&self, start: u64, size: u64) -> Vec<u32> {
        let inside = self.addresses.range(start..start.saturating_add(size)).map(|(_, (_, number))| *number);
        inside.filter(|number| self.get_object(*number).is_some_and(|of| of.import == 0)).collect()
    }

    pub fn mark_object_ended(&mut self, number: u32, how: ObjectEnd, site: CallSite) {
        let Some(object) = self.all.get_mut(&number) else { return };
        object.ended = Some((how, site));
        object.uses.clear();
        object.signaled.clear();
        let import = object.import;
        if let Some(import) = self.all.get_mut(&import) {
            import.mappings.remove(&number);
        }
        self.ended.push_back(number);
        if self.ended.len() > REMEMBERED {
            if let Some(oldest) = self.ended.pop_front() {
                self.forget_object(oldest);
            }
        }
    }

    pub fn undo_object_end(&mut self, number: u32) {
        let Some(object) = self.all.get_mut(&number) else { return };
        object.ended = None;
        let import = object.import;
        self.ended.retain(|ended| *ended != number);
        if let Some(import) = self.all.get_mut(&import) {
            import.mappings.insert(number);
        }
    }

    /// Forgets an object that has ended, and its handle unless another object has the handle by now.
    fn forget_object(&mut self, number: u32) {
        let Some(TrackedObject { about, handle, .. }) = self.all.remove(&number) else { return };
        if about.object_kind() == ObjectKind::Buffer {
            if self.addresses.get(&handle).is_some_and(|(_, of)| *of == number) {
                self.addresses.remove(&handle);
            }
        } else if self.handles.get(&handle) == Some(&number) {
            self.handles.remove(&handle);
        }
        if about.object_kind() == ObjectKind::Array {
            self.levels.retain(|_, array| *array != number);
        }
    }

    pub fn objects_alive_in_context(&self, context: usize) -> Vec<u32> {
        let alive = self.all.values().filter(|object| object.ended.is_none() && object.context == context);
        alive.map(|object| object.number).collect()
    }

    pub fn all_objects_mut(&mut self) -> impl Iterator<Item = &mut TrackedObject> {
        self.all.values_mut()
    }
}

#[test]
fn ended_objects_are_forgotten_in_time() {
    let mut objects = ObjectTable::default();
    for handle in 1..=2 * REMEMBERED as u64 {
        let about = ObjectDescription::from_import(ObjectKind::Semaphore, 1, None, 0, false);
        let number = objects.track_object(TrackedObject { handle, about, ..TrackedObject::default() });
        objects.mark_object_ended(number, ObjectEnd::Freed, CallSite::default());
    }
    assert_eq!(objects.find_object_by_handle(1), ObjectLookup::Unknown);
    assert!(matches!(objects.find_object_by_handle(2 * REMEMBERED as u64), ObjectLookup::Ended(..)));
    assert_eq!(objects.all.len(), REMEMBERED);
}
