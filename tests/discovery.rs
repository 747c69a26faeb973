//! Where cuda.h is found, on machines that are drawn up in a temporary folder.

#[path = "../build/toolkit.rs"]
mod toolkit;

#[path = "discovery/drawn.rs"]
mod drawn;

#[path = "discovery/cross.rs"]
mod cross;
#[path = "discovery/header.rs"]
mod header;
#[path = "discovery/layouts.rs"]
mod layouts;
#[path = "discovery/messages.rs"]
mod messages;
#[path = "discovery/order.rs"]
mod order;
#[cfg(unix)]
#[path = "discovery/reports.rs"]
mod reports;
#[path = "discovery/trouble.rs"]
mod trouble;
#[path = "discovery/variables.rs"]
mod variables;
