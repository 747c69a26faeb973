//! Ranges of an allocation, and whether accesses to them overlap.

/// A range of an allocation. The byte at which an image begins represents the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRange {
    pub start: u64,
    pub end: u64,
    /// Whether the work uses only an unknown part of this range.
    pub is_part: bool,
}

impl MemoryRange {
    pub fn new(start: u64, size: u64) -> Self {
        Self { start, end: start.saturating_add(size.max(1)), is_part: false }
    }

    pub fn overlaps(&self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    pub fn covers(&self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether accesses to the two ranges certainly overlap, whichever bytes an access with `is_part` uses.
    pub fn certainly_overlaps(&self, other: Self) -> bool {
        self.overlaps(other)
            && !(self.is_part && other.is_part)
            && (!self.is_part || other.covers(*self))
            && (!other.is_part || self.covers(other))
    }

    /// Returns the common bytes of two ranges that overlap, if neither contains the other and both are used as a whole.
    pub fn partial_overlap(&self, other: Self) -> Option<Self> {
        let is_partial = self.overlaps(other) && !self.covers(other) && !other.covers(*self);
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        (is_partial && !self.is_part && !other.is_part).then_some(Self { start, end, is_part: false })
    }
}

#[test]
fn a_part_certainly_meets_only_what_covers_its_range() {
    let part = MemoryRange { is_part: true, ..MemoryRange::new(0, 48) };
    for (range, meets) in [(MemoryRange::new(16, 16), false), (part, false), (MemoryRange::new(0, 64), true)]
    {
        assert_eq!([part.certainly_overlaps(range), range.certainly_overlaps(part)], [meets; 2], "{range:?}");
        assert!(part.overlaps(range));
    }
    let [first, second] = [MemoryRange::new(0, 48), MemoryRange::new(32, 32)];
    assert_eq!(first.partial_overlap(second), Some(MemoryRange::new(32, 16)));
    assert_eq!(first.partial_overlap(MemoryRange::new(16, 8)), None);
}
