//! EGL images of every kind: whether CUDA registers them, as what, and which bytes each side sees, with and without waiting for
//! the work that creating an image enqueues.

use std::ffi::{c_int, c_uint, c_void};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{null, null_mut};

use ash::vk;
use cuda_external_sys::*;
use interop::egl::{DmaBuf, Images};
use interop::gl::{Drawing, Gl, TEXTURE_2D};
use interop::vulkan::{Buffer, DedicatedTo, Memory};
use interop::{Error, Result};

use crate::case::{Case, Group, answer, answer_code, or_answer};
use crate::gpu::{cuda, vulkan};
use crate::groups::object;

pub const SIDE: usize = 64;
const BYTES: usize = SIDE * SIDE * 4;
const RGBA: c_uint = 0x1908;
pub const RGBA8: c_uint = 0x8058;
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
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wait {
    Not,
    Finish,
    /// For a fence, on the CPU.
    Fence,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// A texture by glTexImage2D.
    Mutable,
    /// A texture by glTextureStorage2D with this many levels, and the level of the image.
    Storage(c_int, c_int),
    Renderbuffer,
    /// The dma-buf that EGL exports for another image.
    ExportedDmaBuf,
    /// Memory of CUDA.
    CudasDmaBuf,
    /// A buffer of Vulkan, with linear rows.
    VulkansDmaBuf,
    /// Pages of the host.
    UdmaBuf,
}

use Of::{CudasDmaBuf, ExportedDmaBuf, Mutable, Renderbuffer, Storage, UdmaBuf, VulkansDmaBuf};
use Wait::{Fence, Finish, Not};

pub fn group() -> Group {
    let mut cases = Vec::new();
    for (what, of) in [
        ("texture, mutable", Mutable),
        ("texture, immutable", Storage(1, 0)),
        ("level 0 of two levels", Storage(2, 0)),
        ("level 1 of two levels", Storage(2, 1)),
        ("renderbuffer", Renderbuffer),
        ("dma-buf that EGL exports", ExportedDmaBuf),
        ("dma-buf of CUDA's memory", CudasDmaBuf),
        ("dma-buf of a Vulkan buffer", VulkansDmaBuf),
        ("dma-buf of host memory (udmabuf)", UdmaBuf),
    ] {
        for (how, wait) in [("glFinish", Finish), ("a fence", Fence), ("nothing", Not)] {
            cases.push(Case::new(format!("{what}, then {how}"), move || run(of, wait, true)));
        }
    }
    let before = || run(Storage(1, 0), Finish, false);
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
        let side = SIDE as c_int;
        // SAFETY: the context is current, here and below.
        unsafe {
            (self.gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
            (self.gl.f.glTextureStorage2D)(texture, levels, RGBA8, side, side);
        }
        texture
    }

    pub fn finish(&self) {
        // SAFETY: see above.
        unsafe { (self.gl.f.glFinish)() };
    }
}

/// An object of OpenGL, drawn to and read by a framebuffer.
struct Target {
    image: *mut c_void,
    framebuffer: c_uint,
    side: usize,
}

fn run(of: Of, wait: Wait, is_drawn_first: bool) -> Result<()> {
    let graphics = Graphics::open()?;
    let Some(target) = target(&graphics, of, is_drawn_first)? else { return Ok(()) };
    match wait {
        Not => {}
        Finish => graphics.finish(),
        // SAFETY: the fence is OpenGL's.
        Fence => unsafe {
            let fence = (graphics.drawing.glFenceSync)(SYNC_GPU_COMMANDS_COMPLETE, 0);
            (graphics.drawing.glClientWaitSync)(fence, SYNC_FLUSH_COMMANDS_BIT, 5_000_000_000);
        },
    }
    let mut resource = null_mut();
    // SAFETY: the image lives, here and below.
    let code = unsafe { cuGraphicsEGLRegisterImage(&mut resource, target.image, 0) };
    answer_code(code);
    if code != CUDA_SUCCESS {
        return Ok(());
    }
    let mut frame = CUeglFrame::default();
    // SAFETY: the resource is registered.
    let code = unsafe { cuGraphicsResourceGetMappedEglFrame(&mut frame, resource, 0, 0) };
    let Some(()) = or_answer(code.result()) else { return Ok(()) };
    answer(describe(&frame));
    if !is_drawn_first {
        clear(&graphics, &target, 0x11);
        graphics.finish();
    }
    let seen = copy(&frame, target.side, None)?;
    answer(verdict(&seen, 0x11));
    copy(&frame, target.side, Some(0x77))?;
    answer(verdict(&pixels(&graphics, &target), 0x77));
    clear(&graphics, &target, 0x33);
    graphics.finish();
    answer(verdict(&copy(&frame, target.side, None)?, 0x33));
    graphics.gl.take_error("the case")
}

/// Creates an object, draws to it unless it is drawn to later, and creates its image. None where EGL refuses.
fn target(graphics: &Graphics, of: Of, is_drawn_first: bool) -> Result<Option<Target>> {
    let (gl, drawing, images) = (&graphics.gl, &graphics.drawing, &graphics.images);
    let (mut name, mut framebuffer, side) = (0, 0, SIDE as c_int);
    let size = (side, side);
    // SAFETY: the context is current; each pointer is to one name, or null.
    unsafe { (drawing.glCreateFramebuffers)(1, &mut framebuffer) };
    let (level, dma_buf) = match of {
        Mutable => {
            // SAFETY: as above.
            unsafe {
                (drawing.glGenTextures)(1, &mut name);
                (drawing.glBindTexture)(TEXTURE_2D, name);
                (drawing.glTexImage2D)(
                    TEXTURE_2D,
                    0,
                    RGBA8 as c_int,
                    side,
                    side,
                    0,
                    RGBA,
                    UNSIGNED_BYTE,
                    null(),
                );
                (drawing.glTexParameteri)(TEXTURE_2D, TEXTURE_MAX_LEVEL, 0);
            }
            (0, None)
        }
        Storage(levels, level) => {
            name = graphics.texture(levels);
            (level, None)
        }
        Renderbuffer => {
            // SAFETY: as above.
            unsafe {
                (drawing.glCreateRenderbuffers)(1, &mut name);
                (drawing.glNamedRenderbufferStorage)(name, RGBA8, side, side);
            }
            (0, None)
        }
        ExportedDmaBuf => {
            let texture = graphics.texture(1);
            let image = images.of_texture(texture, 0, true)?;
            graphics.finish();
            // SAFETY: the image lives.
            (0, or_refused(unsafe { images.export(image, size) })?)
        }
        CudasDmaBuf => (0, Some(linear(object::dma_buf()?))),
        VulkansDmaBuf => (0, Some(linear(vulkans_dma_buf()?))),
        UdmaBuf => (0, Some(linear(udmabuf()?))),
    };
    let is_dma_buf = !matches!(of, Mutable | Storage(..) | Renderbuffer);
    let mut image = null_mut();
    if is_dma_buf {
        let Some(dma_buf) = dma_buf else { return Ok(None) };
        let Some(made) = or_refused(images.of_dma_buf(&dma_buf))? else { return Ok(None) };
        image = made;
        // A texture with the image's storage, by which OpenGL reads and writes it.
        // SAFETY: as above.
        unsafe {
            (drawing.glGenTextures)(1, &mut name);
            (drawing.glBindTexture)(TEXTURE_2D, name);
            (drawing.glEGLImageTargetTexture2DOES)(TEXTURE_2D, image);
        }
        let Some(()) = or_refused(gl.take_error("glEGLImageTargetTexture2DOES"))? else { return Ok(None) };
    }
    // SAFETY: as above.
    unsafe {
        match of {
            Renderbuffer => {
                (drawing.glNamedFramebufferRenderbuffer)(framebuffer, COLOR_ATTACHMENT0, RENDERBUFFER, name);
            }
            _ => (drawing.glNamedFramebufferTexture)(framebuffer, COLOR_ATTACHMENT0, name, level),
        }
    }
    let mut target = Target { image, framebuffer, side: SIDE >> level };
    if is_drawn_first {
        clear(graphics, &target, 0x11);
    }
    if !is_dma_buf {
        let made = match of {
            Renderbuffer => images.of_renderbuffer(name),
            _ => images.of_texture(name, level, true),
        };
        let Some(made) = or_refused(made)? else { return Ok(None) };
        target.image = made;
    }
    Ok(Some(target))
}

/// A refusal is an answer.
fn or_refused<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(Error::Failed(what)) => {
            answer(what);
            Ok(None)
        }
        other => other.map(Some),
    }
}

fn linear(fd: OwnedFd) -> DmaBuf {
    let side = SIDE as c_int;
    DmaBuf { fd, size: (side, side), fourcc: AB24, modifier: 0, offset: 0, pitch: 4 * side }
}

fn vulkans_dma_buf() -> Result<OwnedFd> {
    let kind = vk::ExternalMemoryHandleTypeFlags::DMA_BUF_EXT;
    let vulkan = vulkan(0)?;
    if !vulkan.shares_dma_bufs {
        return Err(Error::Missing("this driver's Vulkan has no dma-buf".to_owned()));
    }
    let buffer = Buffer::for_handle_type(vulkan, BYTES as u64, kind)?;
    let types = buffer.needs.memory_type_bits;
    let memory = Memory::for_handle_type(vulkan, buffer.needs.size, types, DedicatedTo::Nothing, kind)?;
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

/// Draws one color, whose bytes are this one.
fn clear(graphics: &Graphics, target: &Target, byte: u8) {
    let value = f32::from(byte) / 255.0;
    // SAFETY: the context is current.
    unsafe {
        (graphics.drawing.glBindFramebuffer)(FRAMEBUFFER, target.framebuffer);
        (graphics.drawing.glClearColor)(value, value, value, value);
        (graphics.drawing.glClear)(COLOR_BUFFER_BIT);
    }
}

fn pixels(graphics: &Graphics, target: &Target) -> Vec<u8> {
    let mut bytes = vec![0; target.side * target.side * 4];
    let (side, to) = (target.side as c_int, bytes.as_mut_ptr().cast());
    // SAFETY: there is room for the pixels.
    unsafe {
        (graphics.drawing.glBindFramebuffer)(FRAMEBUFFER, target.framebuffer);
        (graphics.drawing.glReadPixels)(0, 0, side, side, RGBA, UNSIGNED_BYTE, to);
    }
    bytes
}

/// Copies the frame's first plane to the host, or fills it with a byte, and waits.
pub fn copy(frame: &CUeglFrame, side: usize, fill: Option<u8>) -> Result<Vec<u8>> {
    let mut bytes = vec![fill.unwrap_or(0xee); side * side * 4];
    let mut copy = CUDA_MEMCPY2D { WidthInBytes: 4 * side, Height: side, ..Default::default() };
    // SAFETY: the frame's type says which field was written.
    let plane = unsafe {
        if frame.frameType == CU_EGL_FRAME_TYPE_ARRAY {
            (CU_MEMORYTYPE_ARRAY, frame.frame.pArray[0], 0)
        } else {
            (CU_MEMORYTYPE_DEVICE, null_mut(), frame.frame.pPitch[0].addr() as CUdeviceptr)
        }
    };
    if fill.is_some() {
        (copy.srcMemoryType, copy.srcHost) = (CU_MEMORYTYPE_HOST, bytes.as_ptr().cast());
        (copy.dstMemoryType, copy.dstArray, copy.dstDevice) = plane;
        copy.dstPitch = frame.pitch as usize;
    } else {
        (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, bytes.as_mut_ptr().cast());
        (copy.srcMemoryType, copy.srcArray, copy.srcDevice) = plane;
        copy.srcPitch = frame.pitch as usize;
    }
    // SAFETY: the plane has these rows, and the bytes have room for them.
    unsafe {
        cuMemcpy2D_v2(&copy).result()?;
        cuCtxSynchronize().result()?;
    }
    Ok(bytes)
}

pub fn describe(frame: &CUeglFrame) -> String {
    let kind = if frame.frameType == CU_EGL_FRAME_TYPE_ARRAY { "array" } else { "pitch" };
    let (format, element) = (frame.eglColorFormat, frame.cuFormat);
    let CUeglFrame { width, height, planeCount, numChannels, .. } = frame;
    format!("{width} × {height}, {planeCount} plane, {numChannels} channels, {kind}, {format:?}, {element:?}")
}

pub fn verdict(seen: &[u8], byte: u8) -> String {
    match seen.iter().filter(|seen| **seen != byte).count() {
        0 => "right".to_owned(),
        _ if seen.iter().all(|byte| *byte == 0) => "zeros".to_owned(),
        wrong if wrong == seen.len() => "all wrong".to_owned(),
        _ if seen.iter().all(|seen| [0, byte].contains(seen)) => "zeros in part".to_owned(),
        _ => "wrong in part".to_owned(),
    }
}
