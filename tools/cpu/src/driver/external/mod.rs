pub mod external_memory;
pub mod external_semaphores;
pub mod ipc_memory;
