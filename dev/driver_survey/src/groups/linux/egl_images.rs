//! EGL images of every kind: whether and how CUDA registers them, and which bytes each side sees, with and without
//! waiting for the work that creating an image enqueues.

use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{null, null_mut};

use ash::vk;
use cuda_external_sys::*;
use example_support::egl::{DmaBuf, Images};
use example_support::gl::{Drawing, Gl, TEXTURE_2D};
use example_support::vulkan::{Buffer, DedicatedTo, Memory};
use example_support::{Error, Result};

use super::object;
use super::shared::Rows;
use crate::case::{Case, Group, answer, answer_code, or_answer};
use crate::gpu::{cuda, vulkan};

const SIDE: c_int = 64;
pub const ROW: usize = 4 * SIDE as usize;
pub const BYTES: usize = ROW * SIDE as usize;
const RGBA: c_uint = 0x1908;
const RGBA8: c_uint = 0x8058;
const UNSIGNED_BYTE: c_uint = 0x1401;
const RENDERBUFFER: c_uint = 0x8d41;
const FRAMEBUFFER: c_uint = 0x8d40;
const COLOR_ATTACHMENT0: c_uint = 0x8ce0;
const COLOR_BUFFER_BIT: c_uint = 0x4000;
const TEXTURE_MAX_LEVEL: c_uint = 0x813d;
const SYNC_GPU_COMMANDS_COMPLETE: c_uint = 0x9117;
const SYNC_FLUSH_COMMANDS_BIT: c_uint = 1;
/// DRM's "AB24": the bytes red, green, blue, alpha.
const AB24: c_int = 0x3432_4241;

/// How the program waits for the work of `eglCreateImage`.
type Wait = fn(&Graphics);

const WAITS: [(&str, Wait); 3] =
    [("glFinish", Graphics::finish), ("a fence", Graphics::wait_for_fence), ("nothing", |_| {})];

#[derive(Clone, Copy)]
enum Source {
    /// A texture by glTexImage2D.
    Mutable,
    /// A texture by glTextureStorage2D with this many levels, and the level of the image.
    Storage(c_int, c_int),
    Renderbuffer,
    DmaBuf(fn(&Graphics) -> Result<DmaBuf>),
}

const OBJECTS: [(&str, Source); 9] = [
    ("texture, mutable", Source::Mutable),
    ("texture, immutable", Source::Storage(1, 0)),
    ("level 0 of two levels", Source::Storage(2, 0)),
    ("level 1 of two levels", Source::Storage(2, 1)),
    ("renderbuffer", Source::Renderbuffer),
    ("dma-buf that EGL exports", Source::DmaBuf(exported)),
    ("dma-buf of CUDA's memory", Source::DmaBuf(|_| linear(object::dma_buf()?))),
    ("dma-buf of a Vulkan buffer", Source::DmaBuf(|_| linear(vulkans_dma_buf()?))),
    ("dma-buf of host memory (udmabuf)", Source::DmaBuf(|_| linear(udmabuf()?))),
];

pub fn group() -> Group {
    let mut cases = Vec::new();
    for (what, of) in OBJECTS {
        for (how, wait) in WAITS {
            cases.push(Case::new(format!("{what}, then {how}"), move || run(of, wait, true)));
        }
    }
    let before = || run(Source::Storage(1, 0), Graphics::finish, false);
    cases.push(Case::new("texture, immutable, drawn to only after the registration", before));
    Group::new("egl-images", cases)
}

/// OpenGL on CUDA's first device.
pub struct Graphics {
    pub gl: Gl,
    pub drawing: Drawing,
    pub images: Images,
}

impl Graphics {
    pub fn open() -> Result<Self> {
        let gl = Gl::open(&cuda(0)?.uuid)?;
        let (drawing, images) = (gl.drawing()?, gl.images()?);
        Ok(Self { gl, drawing, images })
    }

    pub fn texture(&self, levels: c_int) -> c_uint {
        let mut texture = 0;
        // SAFETY: the context is current, here and below; each pointer is to one name or null.
        unsafe {
            (self.gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
            (self.gl.f.glTextureStorage2D)(texture, levels, RGBA8, SIDE, SIDE);
        }
        texture
    }

    pub fn finish(&self) {
        unsafe { (self.gl.f.glFinish)() };
    }

    /// Waits on the CPU.
    fn wait_for_fence(&self) {
        unsafe {
            let fence = (self.drawing.glFenceSync)(SYNC_GPU_COMMANDS_COMPLETE, 0);
            (self.drawing.glClientWaitSync)(fence, SYNC_FLUSH_COMMANDS_BIT, 5_000_000_000);
        }
    }
}

pub fn register(image: *mut c_void, flags: c_uint) -> std::result::Result<CUgraphicsResource, CUresult> {
    let mut resource = null_mut();
    // SAFETY: an invalid image is what is measured, here and below.
    unsafe { cuGraphicsEGLRegisterImage(&mut resource, image, flags) }.result().map(|()| resource)
}

pub fn frame(
    resource: CUgraphicsResource,
    index: c_uint,
    level: c_uint,
) -> std::result::Result<CUeglFrame, CUresult> {
    let mut frame = CUeglFrame::default();
    unsafe { cuGraphicsResourceGetMappedEglFrame(&mut frame, resource, index, level) }.result()?;
    Ok(frame)
}

/// The frame's first plane.
pub fn plane(frame: &CUeglFrame) -> Rows {
    // SAFETY: the frame's type says which field was written.
    unsafe {
        if frame.frameType == CU_EGL_FRAME_TYPE_ARRAY {
            return Rows::Array(frame.frame.pArray[0]);
        }
        Rows::Linear { address: frame.frame.pPitch[0].addr() as CUdeviceptr, pitch: frame.pitch as usize }
    }
}

pub fn describe(frame: &CUeglFrame) -> String {
    let kind = if frame.frameType == CU_EGL_FRAME_TYPE_ARRAY { "array" } else { "pitch" };
    let (format, element) = (frame.eglColorFormat, frame.cuFormat);
    let CUeglFrame { width, height, planeCount, numChannels, .. } = frame;
    format!("{width} × {height}, {planeCount} plane, {numChannels} channels, {kind}, {format:?}, {element:?}")
}

fn run(of: Source, wait: Wait, is_drawn_first: bool) -> Result<()> {
    let graphics = &Graphics::open()?;
    let target = match Target::new(graphics, of, is_drawn_first) {
        Err(Error::Failed(refusal)) => {
            answer(refusal);
            return Ok(());
        }
        target => target?,
    };
    wait(graphics);
    let Some(resource) = or_answer(register(target.image, 0)) else { return Ok(()) };
    answer_code(CUDA_SUCCESS);
    let Some(frame) = or_answer(frame(resource, 0, 0)) else { return Ok(()) };
    answer(describe(&frame));
    if !is_drawn_first {
        target.clear(0x11);
        graphics.finish();
    }
    let (row, length, plane) = (4 * target.side, 4 * target.side * target.side, plane(&frame));
    answer(verdict(&plane.read(row, length)?, 0x11));
    plane.write(row, &vec![0x77; length])?;
    answer(verdict(&target.pixels(length), 0x77));
    target.clear(0x33);
    graphics.finish();
    answer(verdict(&plane.read(row, length)?, 0x33));
    graphics.gl.take_error("the case")
}

fn verdict(seen: &[u8], byte: u8) -> &'static str {
    match seen.iter().filter(|seen| **seen != byte).count() {
        0 => "right",
        _ if seen.iter().all(|byte| *byte == 0) => "zeros",
        wrong if wrong == seen.len() => "all wrong",
        _ if seen.iter().all(|seen| [0, byte].contains(seen)) => "zeros in part",
        _ => "wrong in part",
    }
}

/// An image, and a framebuffer by which OpenGL draws to it and reads it.
struct Target<'g> {
    graphics: &'g Graphics,
    image: *mut c_void,
    framebuffer: c_uint,
    side: usize,
}

impl<'g> Target<'g> {
    /// Creates an object and its image, and draws to the object first if asked. For a dma-buf the image is created
    /// before the texture. A refusal by EGL is returned as an error.
    fn new(graphics: &'g Graphics, of: Source, is_drawn_first: bool) -> Result<Self> {
        let Graphics { gl, drawing, images } = graphics;
        let (mut name, mut framebuffer, mut image, mut level) = (0, 0, null_mut(), 0);
        unsafe {
            (drawing.glCreateFramebuffers)(1, &mut framebuffer);
            match of {
                Source::Mutable => {
                    let (inner, zero) = (RGBA8 as c_int, null());
                    (drawing.glGenTextures)(1, &mut name);
                    (drawing.glBindTexture)(TEXTURE_2D, name);
                    (drawing.glTexImage2D)(TEXTURE_2D, 0, inner, SIDE, SIDE, 0, RGBA, UNSIGNED_BYTE, zero);
                    (drawing.glTexParameteri)(TEXTURE_2D, TEXTURE_MAX_LEVEL, 0);
                }
                Source::Storage(levels, of_image) => (name, level) = (graphics.texture(levels), of_image),
                Source::Renderbuffer => {
                    (drawing.glCreateRenderbuffers)(1, &mut name);
                    (drawing.glNamedRenderbufferStorage)(name, RGBA8, SIDE, SIDE);
                }
                Source::DmaBuf(open) => {
                    image = images.of_dma_buf(&open(graphics)?)?;
                    (drawing.glGenTextures)(1, &mut name);
                    (drawing.glBindTexture)(TEXTURE_2D, name);
                    (drawing.glEGLImageTargetTexture2DOES)(TEXTURE_2D, image);
                    gl.take_error("glEGLImageTargetTexture2DOES")?;
                }
            }
            if matches!(of, Source::Renderbuffer) {
                (drawing.glNamedFramebufferRenderbuffer)(framebuffer, COLOR_ATTACHMENT0, RENDERBUFFER, name);
            } else {
                (drawing.glNamedFramebufferTexture)(framebuffer, COLOR_ATTACHMENT0, name, level);
            }
        }
        let mut target = Self { graphics, image, framebuffer, side: SIDE as usize >> level };
        if is_drawn_first {
            target.clear(0x11);
        }
        match of {
            Source::DmaBuf(_) => {}
            Source::Renderbuffer => target.image = images.of_renderbuffer(name)?,
            _ => target.image = images.of_texture(name, level, true)?,
        }
        Ok(target)
    }

    /// Draws one color, whose bytes are this one.
    fn clear(&self, byte: u8) {
        let (drawing, value) = (&self.graphics.drawing, f32::from(byte) / 255.0);
        unsafe {
            (drawing.glBindFramebuffer)(FRAMEBUFFER, self.framebuffer);
            (drawing.glClearColor)(value, value, value, value);
            (drawing.glClear)(COLOR_BUFFER_BIT);
        }
    }

    fn pixels(&self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        let (drawing, side, to) = (&self.graphics.drawing, self.side as c_int, bytes.as_mut_ptr().cast());
        // SAFETY: there is room for the pixels.
        unsafe {
            (drawing.glBindFramebuffer)(FRAMEBUFFER, self.framebuffer);
            (drawing.glReadPixels)(0, 0, side, side, RGBA, UNSIGNED_BYTE, to);
        }
        bytes
    }
}

/// The dma-buf that EGL exports for another image.
fn exported(graphics: &Graphics) -> Result<DmaBuf> {
    let image = graphics.images.of_texture(graphics.texture(1), 0, true)?;
    graphics.finish();
    unsafe { graphics.images.export(image, (SIDE, SIDE)) }
}

fn linear(fd: OwnedFd) -> Result<DmaBuf> {
    Ok(DmaBuf { fd, size: (SIDE, SIDE), fourcc: AB24, modifier: 0, offset: 0, pitch: 4 * SIDE })
}

fn vulkans_dma_buf() -> Result<OwnedFd> {
    let kind = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
    let vulkan = vulkan(0)?;
    if !vulkan.shares_dma_bufs {
        return Err(Error::Missing("this driver's Vulkan has no dma-buf".to_owned()));
    }
    let buffer = Buffer::for_handle_type(vulkan, BYTES as u64, kind)?;
    let types = buffer.needs.memory_type_bits;
    let memory = Memory::new(vulkan, buffer.needs.size, types, DedicatedTo::Nothing, kind)?;
    buffer.bind(&memory, 0)?;
    let fd = memory.export()?;
    std::mem::forget((buffer, memory));
    Ok(fd)
}

/// The argument of `UDMABUF_CREATE`.
#[repr(C)]
struct Create {
    memfd: u32,
    flags: u32,
    offset: u64,
    size: u64,
}

fn udmabuf() -> Result<OwnedFd> {
    let device = std::fs::File::open("/dev/udmabuf");
    let device = device.map_err(|error| Error::Missing(format!("/dev/udmabuf: {error}")))?;
    // SAFETY: the functions take descriptors of ours; the request's argument is as linux/udmabuf.h has it.
    unsafe {
        let memfd = libc::memfd_create(c"survey".as_ptr(), libc::MFD_ALLOW_SEALING);
        libc::ftruncate(memfd, BYTES as i64);
        libc::fcntl(memfd, libc::F_ADD_SEALS, libc::F_SEAL_SHRINK);
        let create = Create { memfd: memfd as u32, flags: 0, offset: 0, size: BYTES as u64 };
        match libc::ioctl(device.as_raw_fd(), 0x4018_7542, &create) {
            -1 => Err(Error::Missing(format!("UDMABUF_CREATE: {}", std::io::Error::last_os_error()))),
            fd => Ok(OwnedFd::from_raw_fd(fd)),
        }
    }
}
