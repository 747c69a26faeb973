//! The rules that compare what CUDA does with what Vulkan does.

pub mod export_mismatch;
pub mod hand_over_rules;
pub mod import_facts;
pub mod semaphore_order;
