//! The kinds of a queue's work that the stages of a wait, a signal or a barrier cover.

use ash::vk::{self, PipelineStageFlags2 as Stages};

/// A set of kinds of work with separate stages: copies, draws, dispatches. All stages of draws count as one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StageWorkKinds(u8);

impl StageWorkKinds {
    pub const KINDS: usize = 3;
    pub const COPIES: Self = Self(1);
    pub const DRAWS: Self = Self(2);
    const DISPATCHES: Self = Self(4);
    pub const ALL: Self = Self(7);

    /// Returns the kinds of work in these stages. An unknown stage counts as all stages, and so does an empty mask.
    pub fn from_stage_mask(stages: Stages) -> Self {
        const COPIES: u64 = Stages::ALL_TRANSFER.as_raw()
            | Stages::COPY.as_raw()
            | Stages::RESOLVE.as_raw()
            | Stages::BLIT.as_raw()
            | Stages::CLEAR.as_raw();
        // The bits from VERTEX_INPUT to COLOR_ATTACHMENT_OUTPUT.
        const DRAWS: u64 = 0x7fc
            | Stages::ALL_GRAPHICS.as_raw()
            | Stages::INDEX_INPUT.as_raw()
            | Stages::VERTEX_ATTRIBUTE_INPUT.as_raw()
            | Stages::PRE_RASTERIZATION_SHADERS.as_raw();
        const INDIRECT: u64 = Stages::DRAW_INDIRECT.as_raw();
        const DISPATCHES: u64 = Stages::COMPUTE_SHADER.as_raw();
        let stages = stages.as_raw();
        if stages == 0 || stages & !(COPIES | DRAWS | INDIRECT | DISPATCHES) != 0 {
            return Self::ALL;
        }
        let kinds = [
            (COPIES, Self::COPIES),
            (DRAWS | INDIRECT, Self::DRAWS),
            (INDIRECT | DISPATCHES, Self::DISPATCHES),
        ];
        kinds
            .into_iter()
            .filter(|(bits, _)| stages & bits != 0)
            .fold(Self(0), |all, (_, kind)| all.union_kinds(kind))
    }

    /// Returns the kinds of work in stages of Vulkan 1.0, whose bits are the same in `PipelineStageFlags2`.
    pub fn from_legacy_stage_mask(stages: vk::PipelineStageFlags) -> Self {
        Self::from_stage_mask(Stages::from_raw(stages.as_raw().into()))
    }

    pub fn union_kinds(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub fn overlaps_kinds(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub fn kind_numbers(self) -> impl Iterator<Item = usize> {
        (0..Self::KINDS).filter(move |kind| self.0 & 1 << kind != 0)
    }
}

#[test]
fn stages_that_are_not_known_count_as_all() {
    for (stages, expected) in [
        (Stages::ALL_TRANSFER | Stages::COMPUTE_SHADER, StageWorkKinds(5)),
        (Stages::COLOR_ATTACHMENT_OUTPUT, StageWorkKinds::DRAWS),
        (Stages::DRAW_INDIRECT, StageWorkKinds(6)),
        (Stages::TOP_OF_PIPE | Stages::COPY, StageWorkKinds::ALL),
        (Stages::HOST, StageWorkKinds::ALL),
        (Stages::NONE, StageWorkKinds::ALL),
    ] {
        assert_eq!(StageWorkKinds::from_stage_mask(stages), expected, "{stages:?}");
    }
}
