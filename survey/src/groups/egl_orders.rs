//! What is refused of a registered EGL image, and in which order it, the image and the texture may end.

use std::ffi::{c_uint, c_void};
use std::io::Write as _;
use std::ptr::null_mut;

use cuda_external_sys::*;
use interop::gl::TEXTURE_2D;
use interop::{Error, Result};

use super::egl_images::{Graphics, SIDE, copy, describe};
use crate::case::{Case, Group, answer};

/// A registered image and its texture. Steps end parts.
struct Shared {
    graphics: Option<Graphics>,
    texture: c_uint,
    image: *mut c_void,
    resource: CUgraphicsResource,
    frame: CUeglFrame,
}

#[derive(Clone, Copy)]
struct Step(&'static str, fn(&mut Shared) -> Result<String>);

// SAFETY, of every step: invalid handles are what is measured, in a process that does nothing else.

const UNREGISTER: Step =
    Step("unregister", |shared| code(unsafe { cuGraphicsUnregisterResource(shared.resource) }));
const DESTROY_IMAGE: Step = Step("eglDestroyImage", |shared| {
    let done = unsafe { shared.graphics()?.images.destroy(shared.image) };
    Ok(if done { "done" } else { "refused" }.to_owned())
});
const DELETE_TEXTURE: Step = Step("glDeleteTextures", |shared| {
    let texture = shared.texture;
    let graphics = shared.graphics()?;
    unsafe { (graphics.gl.f.glDeleteTextures)(1, &texture) };
    graphics.finish();
    Ok("done".to_owned())
});
const END_CONTEXT: Step = Step("the context ends", |shared| {
    shared.graphics = None;
    Ok("done".to_owned())
});
const READ: Step = Step("CUDA reads", |shared| Ok(bytes(&copy(&shared.frame, SIDE, None))));
const WRITE: Step = Step("CUDA writes", |shared| {
    Ok(copy(&shared.frame, SIDE, Some(1)).map_or_else(|error| error.to_string(), |_| "done".to_owned()))
});
const FRAME: Step = Step("the frame", |shared| {
    let mut frame = CUeglFrame::default();
    let code = unsafe { cuGraphicsResourceGetMappedEglFrame(&mut frame, shared.resource, 0, 0) };
    Ok(if code == CUDA_SUCCESS { describe(&frame) } else { format!("{code:?}") })
});
const FRAME_OF_LEVEL_1: Step = Step("the frame of level 1", |shared| {
    code(unsafe { cuGraphicsResourceGetMappedEglFrame(&mut CUeglFrame::default(), shared.resource, 0, 1) })
});
const FRAME_OF_INDEX_1: Step = Step("the frame of index 1", |shared| {
    code(unsafe { cuGraphicsResourceGetMappedEglFrame(&mut CUeglFrame::default(), shared.resource, 1, 0) })
});
const REGISTER: Step = Step("register", |shared| register(shared.image, 0));
const MAP: Step =
    Step("map", |shared| code(unsafe { cuGraphicsMapResources(1, &mut shared.resource, null_mut()) }));
const UNMAP: Step =
    Step("unmap", |shared| code(unsafe { cuGraphicsUnmapResources(1, &mut shared.resource, null_mut()) }));
const ARRAY: Step = Step("the array by cuGraphicsSubResourceGetMappedArray", |shared| {
    code(unsafe { cuGraphicsSubResourceGetMappedArray(&mut null_mut(), shared.resource, 0, 0) })
});
const EVENT: Step = Step("cuEventCreateFromEGLSync", |_| {
    code(unsafe { cuEventCreateFromEGLSync(&mut null_mut(), null_mut(), 0) })
});
/// A texture with the image's storage, by the older interface.
const AS_TEXTURE: Step = Step("cuGraphicsGLRegisterImage of a texture of the image", |shared| {
    let image = shared.image;
    let graphics = shared.graphics()?;
    let (mut texture, mut resource) = (0, null_mut());
    unsafe {
        (graphics.drawing.glGenTextures)(1, &mut texture);
        (graphics.drawing.glBindTexture)(TEXTURE_2D, texture);
        (graphics.drawing.glEGLImageTargetTexture2DOES)(TEXTURE_2D, image);
        code(cuGraphicsGLRegisterImage(&mut resource, texture, TEXTURE_2D, 0))
    }
});

#[rustfmt::skip] // one order a line
const ORDERS: &[(&str, &[Step])] = &[
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

pub fn group() -> Group {
    let mut cases: Vec<Case> =
        ORDERS.iter().map(|&(name, steps)| Case::new(name, move || run(steps))).collect();
    for (name, flags) in [("flag READ_ONLY", 1), ("flag WRITE_DISCARD", 2), ("flags 3", 3), ("flags 4", 4)] {
        cases.push(Case::new(name, move || {
            let shared = Shared::open()?;
            answer(register(shared.image, flags)?);
            Ok(())
        }));
    }
    cases.push(Case::new("a null image", || {
        let _shared = Shared::open()?;
        answer(register(null_mut(), 0)?);
        Ok(())
    }));
    Group::new("egl-orders", cases)
}

fn run(steps: &[Step]) -> Result<()> {
    let mut shared = Shared::open()?;
    for Step(name, take) in steps {
        // Printed before the step, so that an unfinished line names the step that crashed.
        print!("{name}: ");
        std::io::stdout().flush().map_err(|error| Error::Failed(error.to_string()))?;
        answer(take(&mut shared)?);
    }
    std::mem::forget(shared);
    Ok(())
}

impl Shared {
    fn open() -> Result<Self> {
        let graphics = Graphics::open()?;
        let texture = graphics.texture(1);
        let image = graphics.images.of_texture(texture, 0, true)?;
        graphics.finish();
        let (mut resource, mut frame) = (null_mut(), CUeglFrame::default());
        // SAFETY: the image lives.
        unsafe {
            cuGraphicsEGLRegisterImage(&mut resource, image, 0).result()?;
            cuGraphicsResourceGetMappedEglFrame(&mut frame, resource, 0, 0).result()?;
        }
        copy(&frame, SIDE, Some(0x55))?;
        Ok(Self { graphics: Some(graphics), texture, image, resource, frame })
    }

    fn graphics(&self) -> Result<&Graphics> {
        self.graphics.as_ref().ok_or_else(|| Error::Failed("the context has ended".to_owned()))
    }
}

fn register(image: *mut c_void, flags: c_uint) -> Result<String> {
    code(unsafe { cuGraphicsEGLRegisterImage(&mut null_mut(), image, flags) })
}

fn code(code: CUresult) -> Result<String> {
    Ok(format!("{code:?}"))
}

/// Which bytes were read, or the error.
fn bytes(read: &Result<Vec<u8>>) -> String {
    match read {
        Ok(bytes) if bytes.iter().all(|byte| *byte == bytes[0]) => format!("{:#x}", bytes[0]),
        Ok(_) => "mixed".to_owned(),
        Err(error) => error.to_string(),
    }
}
