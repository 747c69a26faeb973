//! Registers and maps OpenGL's own buffers and textures with CUDA's older interface, in a context without a window.

use std::ffi::c_uint;
use std::ptr::null_mut;

use cuda_external_sys::*;
use example_support::cuda::Stream;
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
    let opengl_test = |name: &str, run: fn(&Gl)| {
        support::trial_if(name, &needs, move || run(&opened_devices::open_opengl_context()))
    };
    support::tests! {
        opengl_test => a_registered_buffer_is_mapped_again, each_level_of_a_texture_is_an_array;
    }
}

/// An OpenGL object that is registered with CUDA. Dropping this value unregisters the object.
struct RegisteredGlObject(CUgraphicsResource);

impl RegisteredGlObject {
    /// Makes a call that registers an object and writes the resource. OpenGL's context must be current.
    fn register_gl_object(call: impl FnOnce(*mut CUgraphicsResource) -> CUresult) -> Self {
        let mut resource = null_mut();
        assert_success(call(&mut resource));
        Self(resource)
    }

    /// Maps the object in the stream, runs `work`, and unmaps the object.
    fn run_while_mapped(&mut self, stream: CUstream, work: impl FnOnce(CUgraphicsResource)) {
        // SAFETY: the call gets one resource, which is registered and not mapped.
        assert_success(unsafe { cuGraphicsMapResources(1, &mut self.0, stream) });
        work(self.0);
        // SAFETY: the call gets one resource, which is mapped. `work` was the last to use its address or arrays.
        assert_success(unsafe { cuGraphicsUnmapResources(1, &mut self.0, stream) });
    }
}

impl Drop for RegisteredGlObject {
    fn drop(&mut self) {
        // SAFETY: the resource is registered, and `run_while_mapped` has unmapped it.
        assert_success(unsafe { cuGraphicsUnregisterResource(self.0) });
    }
}

/// Mapping and unmapping order the work of both APIs. The CPU waits only in `glGetNamedBufferSubData`.
fn a_registered_buffer_is_mapped_again(gl: &Gl) {
    let (stream, half, mut buffer) = (Stream::new().unwrap(), (SIZE / 2) as isize, 0);
    // SAFETY: the context is current; a null pointer leaves the buffer's bytes undefined.
    unsafe {
        (gl.f.glCreateBuffers)(1, &mut buffer);
        (gl.f.glNamedBufferStorage)(buffer, SIZE as isize, std::ptr::null(), DYNAMIC_STORAGE);
    }
    gl.check_gl_error("glNamedBufferStorage").unwrap();
    let flags = CU_GRAPHICS_REGISTER_FLAGS_NONE.into();
    // SAFETY: the buffer lives until it is unregistered.
    let mut registered =
        RegisteredGlObject::register_gl_object(|to| unsafe { cuGraphicsGLRegisterBuffer(to, buffer, flags) });
    for round in 1..=100 {
        let sent = test_pattern(2 * round, SIZE / 2);
        // SAFETY: `sent` has as many bytes as the first half.
        unsafe { (gl.f.glNamedBufferSubData)(buffer, 0, half, sent.as_ptr().cast()) };
        registered.run_while_mapped(stream.raw(), |resource| {
            let (mut address, mut size) = (0, 0);
            // SAFETY: the resource is mapped, and both pointers are to variables here.
            assert_success(unsafe { cuGraphicsResourceGetMappedPointer(&mut address, &mut size, resource) });
            assert_eq!(size, SIZE);
            stream.copy_async(address + SIZE as u64 / 2, address, SIZE / 2).unwrap();
        });
        let mut seen = vec![0; SIZE / 2];
        // SAFETY: `seen` has as many bytes as the second half.
        unsafe { (gl.f.glGetNamedBufferSubData)(buffer, half, half, seen.as_mut_ptr().cast()) };
        assert_same_bytes("what CUDA copied", &seen, &sent);
    }
    gl.check_gl_error("the rounds").unwrap();
    drop(registered);
    // SAFETY: the buffer is not registered any more.
    unsafe { (gl.f.glDeleteBuffers)(1, &buffer) };
}

/// Copies rows from the host to an array by `cuMemcpy2D`, or from an array to the host by `cuMemcpy2DUnaligned`.
fn copy_rows(array: CUarray, width: usize, height: usize, bytes: &mut [u8], is_to_array: bool) {
    let mut copy = CUDA_MEMCPY2D { WidthInBytes: 4 * width, Height: height, ..Default::default() };
    if is_to_array {
        (copy.srcMemoryType, copy.srcHost) = (CU_MEMORYTYPE_HOST, bytes.as_ptr().cast());
        (copy.dstMemoryType, copy.dstArray) = (CU_MEMORYTYPE_ARRAY, array);
    } else {
        (copy.srcMemoryType, copy.srcArray) = (CU_MEMORYTYPE_ARRAY, array);
        (copy.dstMemoryType, copy.dstHost) = (CU_MEMORYTYPE_HOST, bytes.as_mut_ptr().cast());
    }
    // SAFETY: `bytes` are `height` rows of four bytes a texel.
    assert_success(unsafe { if is_to_array { cuMemcpy2D(&copy) } else { cuMemcpy2DUnaligned(&copy) } });
}

/// The copies and the mapping use the default stream.
fn each_level_of_a_texture_is_an_array(gl: &Gl) {
    let mut texture = 0;
    // SAFETY: the context is current.
    unsafe {
        (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
        (gl.f.glTextureStorage2D)(texture, 2, RGBA8, WIDTH as i32, HEIGHT as i32);
    }
    gl.check_gl_error("glTextureStorage2D").unwrap();
    let flags = CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST.into();
    // SAFETY: the texture lives until it is unregistered.
    let mut registered = RegisteredGlObject::register_gl_object(|to| unsafe {
        cuGraphicsGLRegisterImage(to, texture, TEXTURE_2D, flags)
    });
    for (round, level) in (0..20).map(|number| (number, (number % 2) as u32)) {
        let (width, height) = (WIDTH >> level, HEIGHT >> level);
        let sent = test_pattern(round, 4 * width * height);
        let answer: Vec<u8> = sent.iter().map(|byte| !byte).collect();
        let (number, w, h) = (level as i32, width as i32, height as i32);
        let from = sent.as_ptr().cast();
        // SAFETY: `sent` has as many bytes as the level.
        unsafe { (gl.f.glTextureSubImage2D)(texture, number, 0, 0, w, h, RGBA, UNSIGNED_BYTE, from) };
        let mut seen = vec![0; sent.len()];
        registered.run_while_mapped(null_mut(), |resource| {
            let mut array = null_mut();
            // SAFETY: the resource is mapped, and the pointer is to a variable here.
            assert_success(unsafe { cuGraphicsSubResourceGetMappedArray(&mut array, resource, 0, level) });
            copy_rows(array, width, height, &mut seen, false);
            copy_rows(array, width, height, &mut answer.clone(), true);
        });
        assert_same_bytes("from OpenGL", &seen, &sent);
        let (length, to) = (seen.len() as i32, seen.as_mut_ptr().cast());
        // SAFETY: `seen` has as many bytes as the level.
        unsafe { (gl.f.glGetTextureImage)(texture, number, RGBA, UNSIGNED_BYTE, length, to) };
        assert_same_bytes("from CUDA", &seen, &answer);
    }
    gl.check_gl_error("the rounds").unwrap();
    drop(registered);
    // SAFETY: the texture is not registered any more.
    unsafe { (gl.f.glDeleteTextures)(1, &texture) };
}
