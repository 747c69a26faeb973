//! The functions of [`crate::graphics`].

mod direct3d11;
mod egl;
mod opengl;
mod resources;

pub use {direct3d11::*, egl::*, opengl::*, resources::*};
