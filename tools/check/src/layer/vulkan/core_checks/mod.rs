//! The rules about both sides.

pub mod export_mismatch;
mod hand_over_rules;
pub mod import_facts;
pub mod semaphore_order;
