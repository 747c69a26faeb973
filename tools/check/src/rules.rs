//! What a rule is: its texts are in findings, in the output of `--list-rules`, and in docs/check-rules.md.
//!
//! Each rule is defined beside its check. rule_table.rs collects the rules.

pub const GUIDE_URL: &str = "https://docs.rs/cuda-external-sys/latest/cuda_external_sys/guide";

/// A section of the guide's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleGroup {
    position: u8,
    pub title: &'static str,
}

impl RuleGroup {
    pub const FILE_DESCRIPTORS: Self = Self { position: 0, title: "File descriptors" };
    pub const HANDLES: Self = Self { position: 1, title: "Handles" };
    pub const DESCRIPTIONS: Self = Self { position: 2, title: "Descriptions of memory, buffers and images" };
    pub const LIFETIMES: Self = Self { position: 3, title: "Lifetimes" };
    pub const SEMAPHORES: Self = Self { position: 4, title: "Semaphores" };
    pub const BOTH_SIDES: Self =
        Self { position: 5, title: "Both sides: what one API exports and another one imports" };
    pub const CONTEXTS: Self = Self { position: 6, title: "Contexts" };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSource {
    /// NVIDIA's driver API manual. `place` is a function or a type.
    Manual,
    /// NVIDIA's CUDA programming guide. `place` is a section.
    Guide,
    /// Vulkan's specification. `place` is a section or a valid usage.
    Vulkan,
    /// A call that broke the rule failed, crashed or misbehaved (dev/driver_survey/ANSWERS.md). `place` names the GPUs.
    Measured,
    /// No source demands the rule, and no measurement shows harm. The rule is reported only on request.
    Note,
}

impl RuleSource {
    pub fn rule_source_name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Guide => "guide",
            Self::Vulkan => "Vulkan",
            Self::Measured => "measured",
            Self::Note => "note",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleActivation {
    ByDefault,
    /// Reported by default for accesses that certainly happen. `--enable` with such a rule's name adds possible ones.
    MoreOnEnable,
    /// Reported only with `--enable` and the rule's name, since a program that breaks the rule may be correct.
    OnEnable,
}

const MORE_ON_ENABLE: &str = "Merely possible accesses, such as a kernel's, are reported only if --enable names \
    hand-over or written-too-early.";

#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The rule's bit in `LayerOptions`, and its index in `SharedFile::counts`.
    pub number: usize,
    /// The rule's name in findings and in the command's options.
    pub id: &'static str,
    pub group: RuleGroup,
    pub source: RuleSource,
    /// The place in the source, as [`RuleSource`] says for each source. For a note, why nothing demands the rule.
    pub place: &'static str,
    pub reported: RuleActivation,
    /// Says what a program did that breaks the rule.
    pub sentence: &'static str,
    pub remedy: &'static str,
}

impl Rule {
    /// Returns the sentence and, if `--enable` changes what is reported, a sentence about that option.
    pub fn full_description(&self) -> String {
        match self.reported {
            RuleActivation::ByDefault => self.sentence.to_owned(),
            RuleActivation::MoreOnEnable => format!("{} {MORE_ON_ENABLE}", self.sentence),
            RuleActivation::OnEnable => {
                format!("{} This rule is reported with --enable {} only.", self.sentence, self.id)
            }
        }
    }
}

/// Defines rules as constants of [`Rule`], and `RULES`: all rules of the module. A row has the fields of `Rule`.
#[cfg(supported)]
macro_rules! rules {
    ($(
        $rule:ident $number:literal $id:literal $group:ident $source:ident $place:literal $reported:ident
        $sentence:literal $remedy:literal;
    )*) => {
        // `LayerOptions` has a bit for each of 64 numbers.
        const _: () = assert!($($number < 64)&&*);

        impl $crate::rules::Rule {
            $(pub const $rule: &'static Self = &Self {
                number: $number,
                id: $id,
                group: $crate::rules::RuleGroup::$group,
                source: $crate::rules::RuleSource::$source,
                place: $place,
                reported: $crate::rules::RuleActivation::$reported,
                sentence: $sentence,
                remedy: $remedy,
            };)*
        }

        pub const RULES: &[&$crate::rules::Rule] = &[$($crate::rules::Rule::$rule),*];
    };
}
#[cfg(supported)]
pub(crate) use rules;
