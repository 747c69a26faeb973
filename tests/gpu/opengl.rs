//! One allocation of Vulkan's, and one pair of its semaphores, in OpenGL and in CUDA.

use std::ffi::c_uint;

use ash::vk;
use cuda_external_sys::*;
use libtest_mimic::Trial;

use test_support::{self as support, Need};

use crate::machine;
use interop::Error;
use interop::bytes::{assert_same, pattern};
use interop::cuda::{self, ImportedMemory, ImportedSemaphore, Stream, read_level, write_level};
use interop::egl::Egl;
use interop::formats::array_descriptor;
use interop::gl::{Gl, TEXTURE_2D};
use interop::vulkan::{Buffer, HostBuffer, Image, Placement, Semaphore, Shape, Vulkan};

const RGBA: c_uint = 0x1908;
const RGBA8: c_uint = 0x8058;
const UNSIGNED_BYTE: c_uint = 0x1401;

pub fn trials() -> Vec<Trial> {
    let test = |name: &str, run: fn(&Vulkan, &Gl)| {
        // A context is of the thread that made it, so each test makes its own.
        let opengl = machine::found_cuda()
            .as_ref()
            .map_err(String::clone)
            .and_then(|cuda| Gl::open(&cuda.uuid).map_err(|error| error.to_string()));
        let needs = [machine::gpu_need(), machine::vulkan_need(), Need::new("opengl", &opengl)];
        support::test(name, &needs, move || {
            run(machine::vulkan(), &Gl::open(&machine::cuda().uuid).unwrap());
        })
    };
    let egl = Egl::open().map_err(|error| error.to_string());
    vec![
        test("opengl::a_buffer_goes_round_all_three", |vulkan, gl| buffer_goes_round(vulkan, gl, false)),
        test("opengl::a_dedicated_buffer_goes_round_all_three", |vulkan, gl| {
            buffer_goes_round(vulkan, gl, true)
        }),
        test("opengl::an_image_is_one_texture_and_one_array", image_in_all_three),
        support::test("opengl::a_device_that_is_not_cudas_is_refused", &[Need::new("egl", &egl)], || {
            let Err(Error::Missing(text)) = Gl::open(&[0xee; 16]) else {
                panic!("a context on a device that does not exist");
            };
            println!("{text}");
            assert!(text.contains("eeeeeeee-eeee-"), "{text}");
        }),
        test("opengl::1000_rounds_of_all_three_lose_nothing", many_rounds),
    ]
}

const SIZE: usize = 1 << 20;

/// The buffer's parts: Vulkan writes the first, OpenGL copies it to the second, CUDA that to
/// the third, and Vulkan reads. The pair of binary semaphores does the whole round: each is
/// signaled, waited for, and free again.
struct Round<'v> {
    vulkan: &'v Vulkan,
    gl: &'v Gl,
    buffer: Buffer<'v>,
    in_gl: c_uint,
    gl_memory: c_uint,
    address: CUdeviceptr,
    stream: Stream,
    semaphores: [Semaphore<'v>; 2],
    semaphores_in_gl: [c_uint; 2],
    semaphores_in_cuda: [ImportedSemaphore; 2],
    _import: ImportedMemory,
    _memory: interop::vulkan::Memory<'v>,
}

impl<'v> Round<'v> {
    fn new(vulkan: &'v Vulkan, gl: &'v Gl, dedicated: bool) -> Self {
        let (buffer, memory) = Buffer::with_memory(vulkan, 3 * SIZE as u64, dedicated).unwrap();
        let gl_memory = gl.import_memory(&memory).unwrap();
        let in_gl = gl.buffer(gl_memory, 0, buffer.size).unwrap();
        let import = ImportedMemory::from_vulkan(&memory).unwrap();
        let address = import.map_buffer(0, buffer.size).unwrap();
        let semaphores = [Semaphore::binary(vulkan).unwrap(), Semaphore::binary(vulkan).unwrap()];
        Self {
            semaphores_in_gl: [0, 1].map(|i| gl.import_semaphore(semaphores[i].export().unwrap()).unwrap()),
            semaphores_in_cuda: [0, 1].map(|i| ImportedSemaphore::from_vulkan(&semaphores[i]).unwrap()),
            stream: Stream::new().unwrap(),
            vulkan,
            gl,
            buffer,
            in_gl,
            gl_memory,
            address,
            semaphores,
            _import: import,
            _memory: memory,
        }
    }

    /// From Vulkan by OpenGL to CUDA and back to Vulkan.
    fn forward(&self, bytes: &[u8]) -> Vec<u8> {
        let first = &self.semaphores[0];
        let host = self.host(bytes);
        let written = self
            .vulkan
            .submit(&[], &[(first.raw, 0)], |commands| {
                // Nothing of it is to be kept, so it need not be acquired.
                self.copy(commands, host.raw, self.buffer.raw, 0);
                self.buffer.release(commands);
            })
            .unwrap();
        self.gl.wait(self.semaphores_in_gl[0], &[self.in_gl], &[]).unwrap();
        self.gl_copy(0, 1);
        self.gl.signal(self.semaphores_in_gl[1], &[self.in_gl], &[]).unwrap();
        self.stream.wait(&[(&self.semaphores_in_cuda[1], 0)]).unwrap();
        self.stream.copy(self.part(2), self.part(1), SIZE).unwrap();
        self.stream.signal(&[(&self.semaphores_in_cuda[0], 0)]).unwrap();
        let seen = self.read_after(first, 2 * SIZE as u64);
        written.wait().unwrap();
        self.stream.finish().unwrap();
        seen
    }

    /// From CUDA by OpenGL to Vulkan.
    fn backward(&self, bytes: &[u8]) -> Vec<u8> {
        cuda::write(self.part(0), bytes).unwrap();
        self.stream.signal(&[(&self.semaphores_in_cuda[0], 0)]).unwrap();
        self.gl.wait(self.semaphores_in_gl[0], &[self.in_gl], &[]).unwrap();
        self.gl_copy(0, 1);
        self.gl.signal(self.semaphores_in_gl[1], &[self.in_gl], &[]).unwrap();
        let seen = self.read_after(&self.semaphores[1], SIZE as u64);
        self.stream.finish().unwrap();
        seen
    }

    fn host(&self, bytes: &[u8]) -> HostBuffer<'v> {
        let host = HostBuffer::new(self.vulkan, SIZE as u64).unwrap();
        host.write(bytes);
        host
    }

    fn part(&self, index: usize) -> CUdeviceptr {
        self.address + (index * SIZE) as u64
    }

    fn gl_copy(&self, from: usize, to: usize) {
        let (from, to) = ((from * SIZE) as isize, (to * SIZE) as isize);
        // SAFETY: the parts lie in the buffer, and apart.
        unsafe { (self.gl.f.glCopyNamedBufferSubData)(self.in_gl, self.in_gl, from, to, SIZE as isize) };
    }

    fn copy(&self, commands: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer, at: u64) {
        let region = vk::BufferCopy::default().src_offset(at).size(SIZE as u64);
        // SAFETY: both buffers live until the submission is done.
        unsafe { self.vulkan.device.cmd_copy_buffer(commands, from, to, &[region]) };
    }

    fn read_after(&self, semaphore: &Semaphore, at: u64) -> Vec<u8> {
        let host = HostBuffer::new(self.vulkan, SIZE as u64).unwrap();
        self.vulkan
            .submit(&[(semaphore.raw, 0)], &[], |commands| {
                self.buffer.acquire(commands);
                self.copy(commands, self.buffer.raw, host.raw, at);
                self.vulkan.barrier(commands);
                self.buffer.release(commands);
            })
            .unwrap()
            .wait()
            .unwrap();
        host.bytes().to_vec()
    }
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        let (f, imports) = (&self.gl.f, &self.gl.imports);
        // SAFETY: each is deleted once. OpenGL is done with them after glFinish.
        unsafe {
            (f.glFinish)();
            (f.glDeleteBuffers)(1, &self.in_gl);
            (imports.glDeleteMemoryObjectsEXT)(1, &self.gl_memory);
            (imports.glDeleteSemaphoresEXT)(2, self.semaphores_in_gl.as_ptr());
        }
    }
}

fn buffer_goes_round(vulkan: &Vulkan, gl: &Gl, dedicated: bool) {
    let round = Round::new(vulkan, gl, dedicated);
    for seed in 0..8 {
        let bytes = pattern(2 * seed + 1, SIZE);
        assert_same("from Vulkan round to Vulkan", &round.forward(&bytes), &bytes);
        let bytes = pattern(2 * seed + 2, SIZE);
        assert_same("from CUDA by OpenGL to Vulkan", &round.backward(&bytes), &bytes);
    }
    gl.check("the rounds").unwrap();
}

fn many_rounds(vulkan: &Vulkan, gl: &Gl) {
    let round = Round::new(vulkan, gl, false);
    let mut bytes = pattern(1, SIZE);
    for number in 0..1000_u32 {
        bytes[..4].copy_from_slice(&number.to_le_bytes());
        bytes[SIZE - 4..].copy_from_slice(&number.to_le_bytes());
        assert_same(&format!("round {number}"), &round.forward(&bytes), &bytes);
    }
}

fn image_in_all_three(vulkan: &Vulkan, gl: &Gl) {
    let extent = vk::Extent3D { width: 200, height: 120, depth: 1 };
    let shape = Shape { view: vk::ImageViewType::TYPE_2D, extent, layers: 1, levels: 4 };
    let format = vk::Format::R8G8B8A8_UNORM;
    let usage = vk::ImageUsageFlags::TRANSFER_SRC
        | vk::ImageUsageFlags::TRANSFER_DST
        | vk::ImageUsageFlags::SAMPLED
        | vk::ImageUsageFlags::STORAGE
        | vk::ImageUsageFlags::COLOR_ATTACHMENT;
    let image = Image::new(vulkan, shape, format, usage, Placement::OwnMemory).unwrap();
    let desc = array_descriptor(format, extent, 1, shape.view, usage, true).unwrap();
    let import = ImportedMemory::from_vulkan(&image.memory).unwrap();
    let mipmap = import.map_mipmapped_array(image.offset, desc, shape.levels).unwrap();
    let gl_memory = gl.import_memory(&image.memory).unwrap();
    let (width, height) = (extent.width as i32, extent.height as i32);
    let levels = shape.levels as i32;
    let [mut texture, mut own] = [0; 2];
    // SAFETY: the context is current.
    unsafe {
        (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
        (gl.imports.glTextureStorageMem2DEXT)(texture, levels, RGBA8, width, height, gl_memory, 0);
        (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut own);
        (gl.f.glTextureStorage2D)(own, levels, RGBA8, width, height);
    }
    gl.check("the textures").unwrap();
    // The GPU copies between the shared texture and one of OpenGL's own, which the CPU writes
    // and reads. Of a texture that the CPU has written, OpenGL may keep a copy on the CPU's
    // side, and read that, whatever came to the GPU's memory since.
    let read = |level| {
        copy_texture(gl, texture, own, &shape, level);
        read_texture(gl, own, &image, level)
    };
    let write = |level, bytes: &[u8]| {
        write_texture(gl, own, &shape, level, bytes);
        copy_texture(gl, own, texture, &shape, level);
    };
    let bytes = |seed| -> Vec<Vec<u8>> {
        (0..shape.levels).map(|level| pattern(seed + u64::from(level), image.level_size(level))).collect()
    };
    let expect = |what: &str, seen: Vec<u8>, level: u32, expected: &[Vec<u8>]| {
        assert_same(&format!("{what}, level {level}"), &seen, &expected[level as usize]);
    };

    let semaphore = Semaphore::binary(vulkan).unwrap();
    let in_gl = gl.import_semaphore(semaphore.export().unwrap()).unwrap();
    let in_cuda = ImportedSemaphore::from_vulkan(&semaphore).unwrap();
    let stream = Stream::new().unwrap();
    let textures = [texture];

    for round in 1..=3 {
        let from_vulkan = bytes(1000 * round + 100);
        image.write(&from_vulkan).unwrap();
        vulkan.submit(&[], &[(semaphore.raw, 0)], |_| {}).unwrap().wait().unwrap();
        gl.wait(in_gl, &[], &textures).unwrap();
        for level in 0..shape.levels {
            expect("Vulkan to OpenGL", read(level), level, &from_vulkan);
        }
        let from_gl = bytes(1000 * round + 200);
        for level in 0..shape.levels {
            write(level, &from_gl[level as usize]);
        }
        gl.signal(in_gl, &[], &textures).unwrap();
        stream.wait(&[(&in_cuda, 0)]).unwrap();
        stream.finish().unwrap();
        for level in 0..shape.levels {
            let seen = read_level(mipmap, &shape, 4, level).unwrap();
            expect("OpenGL to CUDA", seen, level, &from_gl);
        }
        let from_cuda = bytes(1000 * round + 300);
        for level in 0..shape.levels {
            write_level(mipmap, &shape, 4, level, &from_cuda[level as usize]).unwrap();
        }
        stream.signal(&[(&in_cuda, 0)]).unwrap();
        gl.wait(in_gl, &[], &textures).unwrap();
        for level in 0..shape.levels {
            expect("CUDA to OpenGL", read(level), level, &from_cuda);
        }
        for (level, seen) in (0..).zip(image.read().unwrap()) {
            expect("CUDA to Vulkan", seen, level, &from_cuda);
        }
    }
    gl.check("the copies").unwrap();

    // SAFETY: each is freed once; nothing is under way.
    unsafe {
        (gl.f.glDeleteTextures)(2, [texture, own].as_ptr());
        (gl.imports.glDeleteMemoryObjectsEXT)(1, &gl_memory);
        (gl.imports.glDeleteSemaphoresEXT)(1, &in_gl);
    }
}

fn copy_texture(gl: &Gl, from: c_uint, to: c_uint, shape: &Shape, level: u32) {
    let extent = shape.level_extent(level);
    let (width, height, level) = (extent.width as i32, extent.height as i32, level as i32);
    let copy = gl.f.glCopyImageSubData;
    // SAFETY: both textures have the level, of that size.
    unsafe {
        copy(from, TEXTURE_2D, level, 0, 0, 0, to, TEXTURE_2D, level, 0, 0, 0, width, height, 1);
    }
    gl.check("glCopyImageSubData").unwrap();
}

fn read_texture(gl: &Gl, texture: c_uint, image: &Image, level: u32) -> Vec<u8> {
    let mut bytes = vec![0_u8; image.level_size(level)];
    let (length, to) = (bytes.len() as i32, bytes.as_mut_ptr().cast());
    // SAFETY: the driver writes no more than said.
    unsafe { (gl.f.glGetTextureImage)(texture, level as i32, RGBA, UNSIGNED_BYTE, length, to) };
    gl.check("glGetTextureImage").unwrap();
    bytes
}

fn write_texture(gl: &Gl, texture: c_uint, shape: &Shape, level: u32, bytes: &[u8]) {
    let extent = shape.level_extent(level);
    let (width, height) = (extent.width as i32, extent.height as i32);
    let from = bytes.as_ptr().cast();
    // SAFETY: `bytes` is a level's; rows of four bytes a texel have no gaps.
    unsafe {
        (gl.f.glTextureSubImage2D)(texture, level as i32, 0, 0, width, height, RGBA, UNSIGNED_BYTE, from);
        (gl.f.glFinish)();
    }
    gl.check("glTextureSubImage2D").unwrap();
}
