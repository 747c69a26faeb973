//! A Vulkan image, and a Vulkan semaphore, in OpenGL and in CUDA. The example `opengl` does it with a buffer.

use std::ffi::c_uint;

use ash::vk;
use libtest_mimic::Trial;

use test_support as support;

use crate::opened_devices;
use crate::shared_objects::{self, compare_levels, image_shape, level_patterns};
use example_support::cuda::Stream;
use example_support::opengl_context::{Gl, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE};
use example_support::vulkan::Image;

pub fn trials() -> Vec<Trial> {
    let (gpu, vulkan, opengl) =
        (opened_devices::gpu_need(), opened_devices::vulkan_need(), opened_devices::opengl_need());
    support::tests! {
        [gpu, vulkan, opengl] => an_image_is_one_texture_and_one_array;
    }
}

fn an_image_is_one_texture_and_one_array() {
    let (vulkan, gl) = (opened_devices::vulkan(), &opened_devices::opengl());
    let shape = image_shape(vk::ImageViewType::TYPE_2D, [200, 120, 1], 1, 4);
    let usage = vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let shared = shared_objects::shared_image(vulkan, shape, usage);
    let textures = TexturePair::new(gl, &shared.image);
    let semaphore = shared_objects::shared_binary(vulkan);
    let in_gl = gl.import_semaphore(semaphore.vulkan.export_fd().unwrap()).unwrap();
    let stream = Stream::new().unwrap();

    for round in 0..3 {
        let sent = level_patterns(&shared.image, 3 * round + 1);
        shared.image.write(&sent).unwrap();
        vulkan.submit(&[], &[(&semaphore.vulkan, 0)], |_| {}).unwrap().wait().unwrap();
        gl.wait_for_semaphore(in_gl, &[], &[textures.shared]).unwrap();
        compare_levels("Vulkan to OpenGL", &textures.read_levels(), &sent).unwrap();

        let sent = level_patterns(&shared.image, 3 * round + 2);
        textures.write_levels(&sent);
        gl.signal_semaphore(in_gl, &[], &[textures.shared]).unwrap();
        stream.wait(&[(&semaphore.cuda, 0)]).unwrap();
        stream.finish().unwrap();
        compare_levels("OpenGL to CUDA", &shared.read().unwrap(), &sent).unwrap();

        let sent = level_patterns(&shared.image, 3 * round + 3);
        shared.write(&sent).unwrap();
        stream.signal(&[(&semaphore.cuda, 0)]).unwrap();
        gl.wait_for_semaphore(in_gl, &[], &[textures.shared]).unwrap();
        compare_levels("CUDA to OpenGL", &textures.read_levels(), &sent).unwrap();
        compare_levels("CUDA to Vulkan", &shared.image.read().unwrap(), &sent).unwrap();
    }
}

/// The image as a texture, and another OpenGL texture, which the CPU writes and reads. OpenGL may keep a copy of a
/// texture that the CPU has written, and read that copy later. The CPU therefore does not write the shared texture:
/// the GPU copies.
struct TexturePair<'a> {
    gl: &'a Gl,
    image: &'a Image<'a>,
    shared: c_uint,
    own: c_uint,
}

impl<'a> TexturePair<'a> {
    fn new(gl: &'a Gl, image: &'a Image) -> Self {
        let memory = gl.import_memory(&image.memory).unwrap();
        let vk::Extent3D { width, height, .. } = image.shape.extent;
        let (levels, width, height) = (image.shape.levels as i32, width as i32, height as i32);
        let [mut shared, mut own] = [0; 2];
        // SAFETY: the context is current.
        unsafe {
            (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut shared);
            (gl.external.glTextureStorageMem2DEXT)(
                shared,
                levels,
                RGBA8,
                width,
                height,
                memory,
                image.offset,
            );
            (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut own);
            (gl.f.glTextureStorage2D)(own, levels, RGBA8, width, height);
        }
        gl.take_error("the textures").unwrap();
        Self { gl, image, shared, own }
    }

    /// Calls `run` with each level, its width and its height.
    fn each_level(&self, mut run: impl FnMut(i32, i32, i32)) {
        for level in 0..self.image.shape.levels {
            let vk::Extent3D { width, height, .. } = self.image.shape.level_extent(level);
            run(level as i32, width as i32, height as i32);
        }
        self.gl.take_error("the copies of the levels").unwrap();
    }

    fn copy_levels(&self, from: c_uint, to: c_uint) {
        let copy = self.gl.f.glCopyImageSubData;
        // SAFETY: both textures have the level, of that size.
        self.each_level(|level, width, height| unsafe {
            copy(from, TEXTURE_2D, level, 0, 0, 0, to, TEXTURE_2D, level, 0, 0, 0, width, height, 1);
        });
    }

    fn read_levels(&self) -> Vec<Vec<u8>> {
        self.copy_levels(self.shared, self.own);
        let mut levels = Vec::new();
        self.each_level(|level, width, height| {
            let mut bytes = vec![0_u8; (4 * width * height) as usize];
            let (length, to) = (bytes.len() as i32, bytes.as_mut_ptr().cast());
            // SAFETY: the driver writes no more than said.
            unsafe { (self.gl.f.glGetTextureImage)(self.own, level, RGBA, UNSIGNED_BYTE, length, to) };
            levels.push(bytes);
        });
        levels
    }

    fn write_levels(&self, levels: &[Vec<u8>]) {
        let write = self.gl.f.glTextureSubImage2D;
        self.each_level(|level, width, height| {
            let from = levels[level as usize].as_ptr().cast();
            // SAFETY: the bytes are the level's; rows of four bytes a texel have no gaps.
            unsafe { write(self.own, level, 0, 0, width, height, RGBA, UNSIGNED_BYTE, from) };
        });
        self.copy_levels(self.own, self.shared);
    }
}
