//! CUDA reads and writes an OpenGL texture in place, as an EGL image.
//!
//! OpenGL draws a chessboard of 64 colors into a texture. CUDA reads the texture through an EGL image, and writes
//! another picture into the texture, which OpenGL then reads. Every byte is compared. An EGL image of a compositor's
//! dma-buf (`EGL_LINUX_DMA_BUF_EXT`) would be registered in the same way (not verified).
//!
//! What to look at:
//!
//! - the `glFinish` after the creation of the image: without it CUDA reads zeros, and every call succeeds;
//! - the registered resource: it is never mapped, and its frame is queried right after the registration;
//! - the frame's type, which says whether the planes are arrays or addresses;
//! - the waits on the CPU (`glFinish`, `cuCtxSynchronize`), which order the work of the two APIs;
//! - the drawing by `glClearTexSubImage`: with `glTextureSubImage2D` instead, `glGetTextureImage` returned what OpenGL
//!   had drawn and not what CUDA wrote later (measured on an H100 with driver 580.159.04);
//! - the teardown: CUDA's resource first, then the EGL image, then the texture.

example_support::example_main!(target_os = "linux", "egl_image.rs", linux::example);

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_uint, c_void};
    use std::ptr;

    use cuda_external_sys::*;
    use example_support::cuda::Cuda;
    use example_support::opengl_context::{Gl, RGBA, RGBA8, TEXTURE_2D, UNSIGNED_BYTE};
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::{Error, Result};

    const SIDE: usize = 64;
    /// The side of a square of the chessboard, in texels.
    const SQUARE: usize = 8;
    /// The number of squares in a row, which is also the number of rows.
    const SQUARES: usize = SIDE / SQUARE;
    const SIZE: usize = SIDE * SIDE * 4;
    const COLOR_BYTES: usize = SQUARES * SQUARES * 4;

    pub fn example() -> Result<()> {
        let cuda = Cuda::retain_primary(0)?;
        let gl = Gl::open_by_uuid(&cuda.uuid)?;
        println!("{} in CUDA is {} in OpenGL", cuda.name, gl.renderer);

        // OpenGL draws into a texture, of which EGL makes an image.
        let mut texture = 0;
        let side = SIDE as c_int;
        // SAFETY: OpenGL's context is current, and `texture` has room for one name.
        unsafe {
            (gl.f.glCreateTextures)(TEXTURE_2D, 1, &mut texture);
            (gl.f.glTextureStorage2D)(texture, 1, RGBA8, side, side);
        }
        let first = test_pattern(1, COLOR_BYTES);
        draw_chessboard(&gl, texture, &first);
        let image = gl.context.create_egl_image(texture)?;
        // SAFETY: OpenGL's context is current. Without this wait CUDA reads zeros, and every call succeeds.
        unsafe { (gl.f.glFinish)() };

        // CUDA registers an image once, not for each frame.
        let registered = RegisteredEglImage::new(image)?;
        println!("{}", registered.describe_frame());
        compare_bytes("drawn before the registration", &registered.read_plane()?, &chessboard_bytes(&first))?;

        for round in 1..=3 {
            let (colors, back) = (test_pattern(2 * round, COLOR_BYTES), test_pattern(2 * round + 1, SIZE));
            draw_chessboard(&gl, texture, &colors);
            // SAFETY: OpenGL's context is current.
            unsafe { (gl.f.glFinish)() };
            compare_bytes("from OpenGL", &registered.read_plane()?, &chessboard_bytes(&colors))?;
            registered.write_plane(&back)?; // returns when CUDA is done
            let mut seen = vec![0; SIZE];
            let (length, to) = (seen.len() as c_int, seen.as_mut_ptr().cast());
            // SAFETY: `seen` has room for the texture.
            unsafe { (gl.f.glGetTextureImage)(texture, 0, RGBA, UNSIGNED_BYTE, length, to) };
            compare_bytes("from CUDA", &seen, &back)?;
            println!("round {round}: {SIZE} bytes each way, every one right");
        }

        drop(registered);
        // SAFETY: nothing uses the image and the texture any more, and each is destroyed once.
        unsafe {
            gl.context.destroy_egl_image(image);
            (gl.f.glDeleteTextures)(1, &texture);
        }
        gl.check_gl_error("the teardown")
    }

    /// Makes OpenGL draw the chessboard, with one color for each square.
    fn draw_chessboard(gl: &Gl, texture: c_uint, colors: &[u8]) {
        for (square, color) in colors.chunks(4).enumerate() {
            let [x, y, side] =
                [square % SQUARES * SQUARE, square / SQUARES * SQUARE, SQUARE].map(|texels| texels as c_int);
            let from = color.as_ptr().cast();
            // SAFETY: OpenGL's context is current, and a color has four bytes.
            unsafe {
                (gl.f.glClearTexSubImage)(texture, 0, x, y, 0, side, side, 1, RGBA, UNSIGNED_BYTE, from)
            };
        }
    }

    /// Returns the bytes of the texture with squares of these colors.
    fn chessboard_bytes(colors: &[u8]) -> Vec<u8> {
        let square = |texel: usize| texel / SIDE / SQUARE * SQUARES + texel % SIDE / SQUARE;
        (0..SIDE * SIDE).flat_map(|texel| colors[4 * square(texel)..][..4].to_vec()).collect()
    }

    /// An EGL image that is registered with CUDA, and its frame. Dropping this value unregisters the image.
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

        /// Returns the first plane's memory type, array and address for a copy. The array or the address is null.
        fn first_plane_place(&self) -> (CUmemorytype, CUarray, CUdeviceptr) {
            // SAFETY: `frameType` says which union field the driver has written.
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
            let mut bytes = vec![0; SIZE];
            let (kind, array, address) = self.first_plane_place();
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
            let (kind, array, address) = self.first_plane_place();
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

        /// Copies all rows, and waits: OpenGL's next call must not start before CUDA is done.
        fn copy_plane(&self, copy: CUDA_MEMCPY2D) -> Result<()> {
            let copy = CUDA_MEMCPY2D { WidthInBytes: 4 * SIDE, Height: SIDE, ..copy };
            // SAFETY: the plane and the host's memory have SIDE rows of 4 * SIDE bytes, and outlive the copy.
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
