//! The calls that are refused for a registered EGL image, and the orders in which the registration, the image and the
//! texture may end.

use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::gl::TEXTURE_2D;
use example_support::{Error, Result};

use super::egl_images::{BYTES, Graphics, ROW, describe, frame, plane, register};
use super::shared::{code, code_of, done};
use crate::case::{Case, Group, Step, Steps, answer_code};

/// A registered image and its texture. Steps end parts.
struct Shared {
    graphics: Option<Graphics>,
    texture: c_uint,
    image: *mut c_void,
    resource: CUgraphicsResource,
    frame: CUeglFrame,
}

type S = Step<Shared>;

// SAFETY, of every step: invalid handles are what is measured, in a process that does nothing else.

const UNREGISTER: S = Step("unregister", |s| code(unsafe { cuGraphicsUnregisterResource(s.resource) }));
const DESTROY_IMAGE: S = Step("eglDestroyImage", |s| {
    let is_done = unsafe { s.graphics()?.images.destroy(s.image) };
    Ok(if is_done { "done" } else { "refused" }.to_owned())
});
const DELETE_TEXTURE: S = Step("glDeleteTextures", |s| {
    let graphics = s.graphics()?;
    unsafe { (graphics.gl.f.glDeleteTextures)(1, &s.texture) };
    graphics.finish();
    done()
});
const END_CONTEXT: S = Step("the context ends", |s| {
    s.graphics = None;
    done()
});
const READ: S = Step("CUDA reads", |s| match plane(&s.frame).read(ROW, BYTES) {
    Ok(bytes) if bytes.iter().all(|byte| *byte == bytes[0]) => Ok(format!("{:#x}", bytes[0])),
    Ok(_) => Ok("mixed".to_owned()),
    Err(refusal) => code(refusal),
});
const WRITE: S = Step("CUDA writes", |s| match plane(&s.frame).write(ROW, &[1; BYTES]) {
    Ok(()) => done(),
    Err(refusal) => code(refusal),
});
const FRAME: S = Step("the frame", |s| match frame(s.resource, 0, 0) {
    Ok(frame) => Ok(describe(&frame)),
    Err(refusal) => code(refusal),
});
const FRAME_OF_LEVEL_1: S = Step("the frame of level 1", |s| code(code_of(frame(s.resource, 0, 1))));
const FRAME_OF_INDEX_1: S = Step("the frame of index 1", |s| code(code_of(frame(s.resource, 1, 0))));
const REGISTER: S = Step("register", |s| code(code_of(register(s.image, 0))));
const MAP: S = Step("map", |s| code(unsafe { cuGraphicsMapResources(1, &mut s.resource, null_mut()) }));
const UNMAP: S = Step("unmap", |s| code(unsafe { cuGraphicsUnmapResources(1, &mut s.resource, null_mut()) }));
const ARRAY: S = Step("the array by cuGraphicsSubResourceGetMappedArray", |s| {
    code(unsafe { cuGraphicsSubResourceGetMappedArray(&mut null_mut(), s.resource, 0, 0) })
});
const EVENT: S = Step("cuEventCreateFromEGLSync", |_| {
    code(unsafe { cuEventCreateFromEGLSync(&mut null_mut(), null_mut(), 0) })
});
/// A texture with the image's storage, by the older interface.
const AS_TEXTURE: S = Step("cuGraphicsGLRegisterImage of a texture of the image", |s| {
    let (graphics, mut texture) = (s.graphics()?, 0);
    unsafe {
        (graphics.drawing.glGenTextures)(1, &mut texture);
        (graphics.drawing.glBindTexture)(TEXTURE_2D, texture);
        (graphics.drawing.glEGLImageTargetTexture2DOES)(TEXTURE_2D, s.image);
        code(cuGraphicsGLRegisterImage(&mut null_mut(), texture, TEXTURE_2D, 0))
    }
});

#[rustfmt::skip] // one order a line
const ORDERS: [(&str, Steps<Shared>); 16] = [
    ("unregister, image, texture", &[UNREGISTER, DESTROY_IMAGE, DELETE_TEXTURE]),
    ("image, unregister, texture", &[DESTROY_IMAGE, READ, WRITE, UNREGISTER, DELETE_TEXTURE]),
    ("texture, unregister, image", &[DELETE_TEXTURE, READ, WRITE, UNREGISTER, DESTROY_IMAGE]),
    ("image, texture, unregister", &[DESTROY_IMAGE, DELETE_TEXTURE, READ, WRITE, UNREGISTER]),
    ("texture, image, unregister", &[DELETE_TEXTURE, DESTROY_IMAGE, READ, WRITE, UNREGISTER]),
    ("the context, then unregister", &[END_CONTEXT, READ, WRITE, UNREGISTER]),
    ("unregistered, then used", &[UNREGISTER, READ]),
    ("unregistered, then its frame", &[UNREGISTER, FRAME]),
    ("unregistered twice", &[UNREGISTER, UNREGISTER]),
    ("registered twice", &[REGISTER, UNREGISTER]),
    ("registered after eglDestroyImage", &[UNREGISTER, DESTROY_IMAGE, REGISTER]),
    ("mapped", &[MAP, FRAME, UNMAP, FRAME]),
    ("its array", &[ARRAY, MAP, ARRAY]),
    ("a level and a face that it lacks", &[FRAME_OF_LEVEL_1, FRAME_OF_INDEX_1]),
    ("its storage as a texture", &[AS_TEXTURE]),
    ("an event of a null sync", &[EVENT]),
];

const FLAGS: [(&str, c_uint); 4] =
    [("flag READ_ONLY", 1), ("flag WRITE_DISCARD", 2), ("flags 3", 3), ("flags 4", 4)];

pub fn group() -> Group {
    let orders = ORDERS.map(|(name, steps)| Case::of_steps(name, Shared::open, steps));
    let flags = FLAGS.map(|(name, flags)| {
        Case::new(name, move || {
            answer_code(code_of(register(Shared::open()?.image, flags)));
            Ok(())
        })
    });
    let null = Case::new("a null image", || {
        let _shared = Shared::open()?;
        answer_code(code_of(register(null_mut(), 0)));
        Ok(())
    });
    Group::new("egl-orders", orders.into_iter().chain(flags).chain([null]))
}

impl Shared {
    fn open() -> Result<Self> {
        let graphics = Graphics::open()?;
        let texture = graphics.texture(1);
        let image = graphics.images.of_texture(texture, 0, true)?;
        graphics.finish();
        let resource = register(image, 0)?;
        let frame = frame(resource, 0, 0)?;
        plane(&frame).write(ROW, &[0x55; BYTES])?;
        Ok(Self { graphics: Some(graphics), texture, image, resource, frame })
    }

    fn graphics(&self) -> Result<&Graphics> {
        self.graphics.as_ref().ok_or_else(|| Error::Failed("the context has ended".to_owned()))
    }
}
