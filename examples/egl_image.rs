//! An EGL image: what OpenGL draws is read and written by CUDA, in place. A compositor's dma-buf comes in by the same
//! way.
//!
//! OpenGL draws a chessboard of 64 colors into a texture. CUDA reads the image of the texture, and writes another
//! picture into it, which OpenGL reads. Every byte is compared. Then the image is exported as a dma-buf, as a
//! compositor would pass it, and the dma-buf is imported as a separate image.
//!
//! What to look at:
//!
//! - the `glFinish` after the image is created, without which CUDA reads zeros and every call succeeds;
//! - the resource, which is never mapped: its frame follows the registration;
//! - the frame's type, which says whether the planes are arrays or addresses;
//! - both waits: no call orders the two APIs' work;
//! - the end: CUDA's resource first, then the image, then the texture.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    example_support::example_main::run_example(include_str!("egl_image.rs"), linux::example)
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("This example shares EGL images, which Linux has.");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_uint, c_void};
    use std::ptr;

    use cuda_external_sys::*;
    use example_support::cuda::Cuda;
    use example_support::opengl_context::{DrawFunctions, Gl, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE};
    use example_support::{Error, Result, test_bytes};

    const SIDE: usize = 64;
    /// The side of a field of the chessboard.
    const FIELD: usize = 8;
    const FRAMEBUFFER: c_uint = 0x8d40;
    const COLOR_ATTACHMENT0: c_uint = 0x8ce0;
    const COLOR_BUFFER_BIT: c_uint = 0x4000;
    const SCISSOR_TEST: c_uint = 0x0c11;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let gl = Gl::open(&cuda.uuid)?;
        let (drawing, images) = (gl.draw_functions()?, gl.egl_images()?);
        println!("{} in CUDA is {} in OpenGL", cuda.name, gl.renderer);

        // OpenGL: a texture, what it is drawn to by, and its image.
        let (mut texture, mut framebuffer) = (0, 0);
        let side = SIDE as c_int;
        // SAFETY: the context is current; each pointer is to one name.
        unsafe {
            (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
            (gl.f.glTextureStorage2D)(texture, 1, RGBA8, side, side);
            (drawing.glCreateFramebuffers)(1, &mut framebuffer);
            (drawing.glNamedFramebufferTexture)(framebuffer, COLOR_ATTACHMENT0, texture, 0);
        }
        draw_chessboard(&drawing, framebuffer, 1);
        let image = images.create_from_texture(texture, 0, true)?;
        // Creating the image may have moved the texture: that is work in OpenGL's queue, as the drawing is.
        // SAFETY: the context is current.
        unsafe { (gl.f.glFinish)() };

        // CUDA: once for each image, not for each frame.
        let registered = RegisteredEglImage::new(image)?;
        println!("{}", registered.describe_frame());
        test_bytes::compare_bytes(
            "drawn before the registration",
            &registered.read_plane()?,
            &chessboard_bytes(1),
        )?;

        for round in 2..=4_u8 {
            draw_chessboard(&drawing, framebuffer, round);
            // SAFETY: the context is current.
            unsafe { (gl.f.glFinish)() };
            test_bytes::compare_bytes("from OpenGL", &registered.read_plane()?, &chessboard_bytes(round))?;
            let answer = test_bytes::test_pattern(round.into(), SIDE * SIDE * 4);
            registered.write_plane(&answer)?; // returns when CUDA is done
            let mut seen = vec![0; answer.len()];
            let (length, to) = (seen.len() as c_int, seen.as_mut_ptr().cast());
            // SAFETY: there is room for the texture.
            unsafe { (gl.f.glGetTextureImage)(texture, 0, RGBA, UNSIGNED_BYTE, length, to) };
            test_bytes::compare_bytes("from CUDA", &seen, &answer)?;
            println!("round {}: {} bytes each way, every one right", round - 1, answer.len());
        }

        // A compositor's frame: a dma-buf with its format, modifier, offset and pitch.
        // SAFETY: the image lives.
        let frame = unsafe { images.export_dma_buf(image, (side, side)) };
        match frame.and_then(|frame| Ok((images.create_from_dma_buf(&frame)?, frame))) {
            Ok((imported, frame)) => {
                // SAFETY: the context is current.
                unsafe { (gl.f.glFinish)() };
                let (fourcc, modifier) = (frame.fourcc.to_le_bytes(), frame.modifier);
                println!("a dma-buf of {}, modifier {modifier:#x}", String::from_utf8_lossy(&fourcc));
                match RegisteredEglImage::new(imported) {
                    Ok(second) => {
                        println!("{}", second.describe_frame());
                        test_bytes::compare_bytes(
                            "by the dma-buf",
                            &second.read_plane()?,
                            &registered.read_plane()?,
                        )?;
                        println!("the dma-buf's bytes are those of the image");
                    }
                    Err(code) => {
                        println!("not verified: the registration of the dma-buf's image returned {code}")
                    }
                }
                // SAFETY: the object is destroyed once.
                unsafe { images.destroy_egl_image(imported) };
            }
            Err(error) => println!("not verified: a dma-buf: {error}"),
        }

        drop(registered);
        // SAFETY: the image is destroyed once; nothing uses the texture.
        unsafe {
            images.destroy_egl_image(image);
            (gl.f.glDeleteTextures)(1, &texture);
        }
        gl.take_error("the teardown")
    }

    /// Draws the fields of the chessboard, each in another color.
    fn draw_chessboard(drawing: &DrawFunctions, framebuffer: c_uint, round: u8) {
        // SAFETY: the context is current.
        unsafe {
            (drawing.glBindFramebuffer)(FRAMEBUFFER, framebuffer);
            (drawing.glEnable)(SCISSOR_TEST);
            for (x, y) in (0..SIDE / FIELD).flat_map(|y| (0..SIDE / FIELD).map(move |x| (x, y))) {
                let [red, green, blue, alpha] = field_color(x, y, round).map(|byte| f32::from(byte) / 255.0);
                let at = |field: usize| (field * FIELD) as c_int;
                (drawing.glScissor)(at(x), at(y), FIELD as c_int, FIELD as c_int);
                (drawing.glClearColor)(red, green, blue, alpha);
                (drawing.glClear)(COLOR_BUFFER_BIT);
            }
        }
    }

    fn field_color(x: usize, y: usize, round: u8) -> [u8; 4] {
        [10 + 30 * x as u8, 5 + 30 * y as u8, 50 * round, 255 - (8 * x + y) as u8]
    }

    /// The bytes of what is drawn.
    fn chessboard_bytes(round: u8) -> Vec<u8> {
        (0..SIDE * SIDE).flat_map(|at| field_color(at % SIDE / FIELD, at / SIDE / FIELD, round)).collect()
    }

    /// A registered image with its frame. It is unregistered at the end of its scope.
    struct RegisteredEglImage {
        resource: CUgraphicsResource,
        frame: CUeglFrame,
    }

    impl RegisteredEglImage {
        fn new(image: *mut c_void) -> std::result::Result<Self, CUresult> {
            let mut new = Self { resource: ptr::null_mut(), frame: CUeglFrame::default() };
            let flags = CU_GRAPHICS_MAP_RESOURCE_FLAGS_NONE.into();
            // SAFETY: the image lives; both pointers are to variables here.
            unsafe {
                cuGraphicsEGLRegisterImage(&mut new.resource, image, flags).result()?;
                cuGraphicsResourceGetMappedEglFrame(&mut new.frame, new.resource, 0, 0).result()?;
            }
            Ok(new)
        }

        fn describe_frame(&self) -> String {
            let CUeglFrame { width, height, planeCount, numChannels, frameType, eglColorFormat, .. } =
                self.frame;
            format!(
                "{width} x {height}, {planeCount} plane, {numChannels} channels, {frameType:?}, {eglColorFormat:?}"
            )
        }

        /// The place of the first plane in a copy: an array, or an address with a pitch.
        fn first_plane(&self) -> (CUmemorytype, CUarray, CUdeviceptr) {
            // SAFETY: the type says which field was written.
            unsafe {
                if self.frame.frameType == CU_EGL_FRAME_TYPE_ARRAY {
                    (CU_MEMORYTYPE_ARRAY, self.frame.frame.pArray[0], 0)
                } else {
                    let address = self.frame.frame.pPitch[0].addr() as CUdeviceptr;
                    (CU_MEMORYTYPE_DEVICE, ptr::null_mut(), address)
                }
            }
        }

        fn read_plane(&self) -> Result<Vec<u8>> {
            let mut bytes = vec![0; SIDE * SIDE * 4];
            let (kind, array, address) = self.first_plane();
            self.copy_plane(CUDA_MEMCPY2D {
                srcMemoryType: kind,
                srcArray: array,
                srcDevice: address,
                srcPitch: self.frame.pitch as usize,
                dstMemoryType: CU_MEMORYTYPE_HOST,
                dstHost: bytes.as_mut_ptr().cast(),
                ..Default::default()
            })?;
            Ok(bytes)
        }

        fn write_plane(&self, bytes: &[u8]) -> Result<()> {
            let (kind, array, address) = self.first_plane();
            self.copy_plane(CUDA_MEMCPY2D {
                srcMemoryType: CU_MEMORYTYPE_HOST,
                srcHost: bytes.as_ptr().cast(),
                dstMemoryType: kind,
                dstArray: array,
                dstDevice: address,
                dstPitch: self.frame.pitch as usize,
                ..Default::default()
            })
        }

        /// Copies all rows, and waits: OpenGL's next call must not come before CUDA's end.
        fn copy_plane(&self, copy: CUDA_MEMCPY2D) -> Result<()> {
            let copy = CUDA_MEMCPY2D { WidthInBytes: 4 * SIDE, Height: SIDE, ..copy };
            // SAFETY: the plane has these rows, and the host's memory has room for them.
            unsafe {
                cuMemcpy2D(&copy).result()?;
                cuCtxSynchronize().result().map_err(Error::from)
            }
        }
    }

    impl Drop for RegisteredEglImage {
        fn drop(&mut self) {
            // SAFETY: the resource is unregistered once, and no work uses it.
            let code = unsafe { cuGraphicsUnregisterResource(self.resource) };
            debug_assert_eq!(code, CUDA_SUCCESS);
            let _ = code;
        }
    }
}
