//! OpenGL's own buffers and textures, registered with CUDA and mapped: the older interface, on a context without a
//! window.

use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::{self, Cuda, Stream};
use example_support::opengl_context::{Gl, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE};
use example_support::test_bytes::{assert_same_bytes, test_pattern};
use libtest_mimic::Trial;
use test_support as support;

use crate::opened_devices::{self, assert_success};

const SIZE: usize = 1 << 20;
const WIDTH: usize = 200;
const HEIGHT: usize = 120;
const DYNAMIC_STORAGE: c_uint = 0x100;

pub fn trials() -> Vec<Trial> {
    let needs = [opened_devices::gpu_need(), opened_devices::opengl_need()];
    let opengl_test =
        |name: &str, run: fn(&Gl)| support::trial_if(name, &needs, move || run(&opened_devices::opengl()));
    support::tests! {
        opengl_test => a_registered_buffer_is_mapped_again, each_level_of_a_texture_is_an_array,
            egl_has_the_ordinal_of_each_cuda_device;
    }
}

/// The extension names the same device as the UUID of OpenGL.
fn egl_has_the_ordinal_of_each_cuda_device(_: &Gl) {
    for ordinal in 0..cuda::device_count().unwrap() {
        let gl = Gl::open_by_ordinal(ordinal).unwrap();
        assert!(
            gl.device_uuids().contains(&Cuda::retain_primary(ordinal).unwrap().uuid),
            "{ordinal}: {}",
            gl.renderer
        );
    }
}

/// An OpenGL buffer with these bytes.
fn create_buffer(gl: &Gl, bytes: &[u8]) -> c_uint {
    let mut buffer = 0;
    // SAFETY: the context is current, and the bytes are as many as said.
    unsafe {
        (gl.f.glCreateBuffers)(1, &mut buffer);
        (gl.f.glNamedBufferStorage)(buffer, bytes.len() as isize, bytes.as_ptr().cast(), DYNAMIC_STORAGE);
    }
    gl.take_error("glNamedBufferStorage").unwrap();
    buffer
}

/// An OpenGL texture with two levels.
fn create_texture(gl: &Gl, format: c_uint) -> c_uint {
    let mut texture = 0;
    // SAFETY: the context is current.
    unsafe {
        (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
        (gl.f.glTextureStorage2D)(texture, 2, format, WIDTH as i32, HEIGHT as i32);
    }
    gl.take_error("glTextureStorage2D").unwrap();
    texture
}

/// A registered object, which is unregistered at the end of its scope.
struct RegisteredGlObject(CUgraphicsResource);

impl RegisteredGlObject {
    fn register_buffer(buffer: c_uint, flags: CUgraphicsRegisterFlags) -> Result<Self, CUresult> {
        let mut resource = null_mut();
        // SAFETY: the function writes a resource; OpenGL's context is current.
        unsafe { cuGraphicsGLRegisterBuffer(&mut resource, buffer, flags.into()) }.result()?;
        Ok(Self(resource))
    }

    fn register_texture(texture: c_uint, flags: CUgraphicsRegisterFlags) -> Result<Self, CUresult> {
        let mut resource = null_mut();
        // SAFETY: the function writes a resource; OpenGL's context is current.
        unsafe { cuGraphicsGLRegisterImage(&mut resource, texture, TEXTURE_2D, flags.into()) }.result()?;
        Ok(Self(resource))
    }

    fn map_resource(&mut self, stream: CUstream) -> CUresult {
        // SAFETY: one resource, which is registered.
        unsafe { cuGraphicsMapResources(1, &mut self.0, stream) }
    }

    fn unmap_resource(&mut self, stream: CUstream) -> CUresult {
        // SAFETY: one resource, which is mapped; the tests use nothing of it afterwards.
        unsafe { cuGraphicsUnmapResources(1, &mut self.0, stream) }
    }

    fn mapped_pointer(&self) -> Result<(CUdeviceptr, usize), CUresult> {
        let (mut address, mut size) = (0, 0);
        // SAFETY: the function writes an address and a size.
        unsafe { cuGraphicsResourceGetMappedPointer(&mut address, &mut size, self.0) }.result()?;
        Ok((address, size))
    }

    fn mapped_array(&self, layer: c_uint, level: c_uint) -> Result<CUarray, CUresult> {
        let mut array = null_mut();
        // SAFETY: the function writes an array.
        unsafe { cuGraphicsSubResourceGetMappedArray(&mut array, self.0, layer, level) }.result()?;
        Ok(array)
    }
}

impl Drop for RegisteredGlObject {
    fn drop(&mut self) {
        // SAFETY: unregistered once; it is not mapped.
        assert_success(unsafe { cuGraphicsUnregisterResource(self.0) });
    }
}

/// The streams order the work. Only OpenGL waits, where the CPU reads.
fn a_registered_buffer_is_mapped_again(gl: &Gl) {
    let (stream, in_gl) = (Stream::new().unwrap(), create_buffer(gl, &test_pattern(0, SIZE)));
    let mut registered = RegisteredGlObject::register_buffer(in_gl, CU_GRAPHICS_REGISTER_FLAGS_NONE).unwrap();
    for round in 1..=100 {
        let sent = test_pattern(2 * round, SIZE / 2);
        // SAFETY: the bytes are as many as said.
        unsafe { (gl.f.glNamedBufferSubData)(in_gl, 0, sent.len() as isize, sent.as_ptr().cast()) };
        assert_success(registered.map_resource(stream.raw()));
        let (address, size) = registered.mapped_pointer().unwrap();
        assert_eq!(size, SIZE);
        stream.copy_async(address + SIZE as u64 / 2, address, SIZE / 2).unwrap();
        assert_success(registered.unmap_resource(stream.raw()));
        let mut seen = vec![0; SIZE / 2];
        let half = seen.len() as isize;
        // SAFETY: there is room for as many bytes as said.
        unsafe { (gl.f.glGetNamedBufferSubData)(in_gl, half, half, seen.as_mut_ptr().cast::<c_void>()) };
        assert_same_bytes("what CUDA copied", &seen, &sent);
    }
    gl.take_error("the rounds").unwrap();
    drop(registered);
    // SAFETY: nothing uses it.
    unsafe { (gl.f.glDeleteBuffers)(1, &in_gl) };
}

/// Copies rows of an array from the host, or to it, by one of the functions for each.
fn copy_rows(array: CUarray, width: usize, height: usize, bytes: &mut [u8], is_to_array: bool) {
    let mut copy = CUDA_MEMCPY2D { WidthInBytes: 4 * width, Height: height, ..Default::default() };
    if is_to_array {
        (copy.srcMemoryType, copy.srcHost) = (CU_MEMORYTYPE_HOST, bytes.as_ptr().cast());
        (copy.dstMemoryType, copy.dstArray) = (CU_MEMORYTYPE_ARRAY, array);
    } else {
        (copy.srcMemoryType, copy.srcArray) = (CU_MEMORYTYPE_ARRAY, array);
        (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, bytes.as_mut_ptr().cast());
    }
    // SAFETY: the bytes are the rows'.
    assert_success(unsafe { if is_to_array { cuMemcpy2D(&copy) } else { cuMemcpy2DUnaligned(&copy) } });
}

fn each_level_of_a_texture_is_an_array(gl: &Gl) {
    // The default stream, in which the copies are.
    let (stream, texture) = (null_mut(), create_texture(gl, RGBA8));
    let level = |level: usize| (level as i32, WIDTH >> level, HEIGHT >> level);
    let mut registered =
        RegisteredGlObject::register_texture(texture, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST).unwrap();
    for round in 0..10 {
        for (number, width, height) in [0, 1].map(level) {
            let sent = test_pattern(2 * round + number as u64, 4 * width * height);
            let from = sent.as_ptr().cast();
            let (w, h) = (width as i32, height as i32);
            // SAFETY: the bytes are the level's.
            unsafe { (gl.f.glTextureSubImage2D)(texture, number, 0, 0, w, h, RGBA, UNSIGNED_BYTE, from) };
            assert_success(registered.map_resource(stream));
            let array = registered.mapped_array(0, number as c_uint).unwrap();
            let mut seen = vec![0; sent.len()];
            copy_rows(array, width, height, &mut seen, false);
            assert_same_bytes("from OpenGL", &seen, &sent);
            let mut answer: Vec<u8> = sent.iter().map(|byte| !byte).collect();
            copy_rows(array, width, height, &mut answer, true);
            assert_success(registered.unmap_resource(stream));
            let (length, to) = (seen.len() as i32, seen.as_mut_ptr().cast());
            // SAFETY: there is room for the level.
            unsafe { (gl.f.glGetTextureImage)(texture, number, RGBA, UNSIGNED_BYTE, length, to) };
            assert_same_bytes("from CUDA", &seen, &answer);
        }
    }
    gl.take_error("the rounds").unwrap();
    drop(registered);
    // SAFETY: nothing uses it.
    unsafe { (gl.f.glDeleteTextures)(1, &texture) };
}
