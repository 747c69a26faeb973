//! Vulkan, OpenGL and CUDA share one allocation: data passes through all three, and the GPU waits instead of the CPU.
//!
//! Vulkan exports memory and three semaphores. OpenGL and CUDA each import the memory and two of the semaphores. The
//! documentation's page "graphics" describes CUDA's older interface, which registers OpenGL's own buffers and textures.
//!
//! What to look at:
//!
//! - the device, matched by UUID in the three APIs;
//! - a new descriptor for each importer, since each importer takes its descriptor over;
//! - a binary semaphore for each hand-over: if two queues wait for the same semaphore, either may take the signal;
//! - the flush after OpenGL's signal, without which no other API may wait for the signal (`opengl_context.rs`);
//! - the EGL context, which needs no window (`egl_context.rs`). Both files are in examples/support.

example_support::example_main!(unix, "opengl.rs", example);

#[cfg(unix)]
fn example() -> example_support::Result<()> {
    use example_support::cuda::{Cuda, ImportedMemory, ImportedSemaphore, Stream};
    use example_support::opengl_context::Gl;
    use example_support::test_bytes::{compare_bytes, test_pattern};
    use example_support::vulkan::{ExportableBuffer, ExportableSemaphore, HostBuffer, Vulkan};

    // The buffer has three parts: Vulkan writes part 1, OpenGL copies part 1 to part 2, CUDA copies part 2 to part 3.
    const PART: usize = 1 << 20;

    let cuda = Cuda::retain_primary(0)?;
    let vulkan = Vulkan::open_by_uuid(&cuda.uuid)?;
    let gl = Gl::open_by_uuid(&cuda.uuid)?;
    println!("{} in CUDA is {} in Vulkan and {} in OpenGL", cuda.name, vulkan.name, gl.renderer);

    // Vulkan exports the memory and the semaphores.
    let buffer = ExportableBuffer::new(&vulkan, 3 * PART as u64)?;
    let memory = buffer.allocate_memory(buffer.prefers_dedicated)?;
    let [a, b, c] = [
        ExportableSemaphore::new_binary(&vulkan)?,
        ExportableSemaphore::new_binary(&vulkan)?,
        ExportableSemaphore::new_binary(&vulkan)?,
    ];

    // OpenGL imports the memory and two of the semaphores.
    let gl_memory = gl.import_memory(&memory)?;
    let gl_buffer = gl.create_buffer_over_memory(gl_memory, 0, buffer.size)?;
    let (gl_a, gl_b) = (gl.import_semaphore(a.export_fd()?)?, gl.import_semaphore(b.export_fd()?)?);

    // CUDA imports the memory and two of the semaphores, too.
    let imported = ImportedMemory::from_vulkan(&memory)?;
    let address = imported.map_buffer(0, buffer.size)?;
    let (cuda_b, cuda_c) = (ImportedSemaphore::from_vulkan(&b)?, ImportedSemaphore::from_vulkan(&c)?);
    let stream = Stream::new()?;
    println!(
        "an allocation of {} bytes and three semaphores, each imported by those that use it",
        memory.size
    );

    for round in 1..=3 {
        // Vulkan writes the first part and signals a.
        let sent = test_pattern(round, PART);
        let host = HostBuffer::new(&vulkan, PART as u64)?;
        host.write(&sent);
        let written = vulkan.submit(&[], &[(&a, 0)], |commands| {
            buffer.record_write(commands, 0, &host);
        })?;

        // OpenGL waits for a, copies, and signals b.
        gl.wait_for_semaphore(gl_a, &[gl_buffer])?;
        let part = PART as isize;
        // SAFETY: both parts are inside the buffer, and do not overlap.
        unsafe { (gl.f.glCopyNamedBufferSubData)(gl_buffer, gl_buffer, 0, part, part) };
        gl.signal_semaphore(gl_b, &[gl_buffer])?;

        // CUDA waits for b, copies, and signals c.
        stream.wait(&[(&cuda_b, 0)])?;
        stream.copy_async(address + 2 * PART as u64, address + PART as u64, PART)?;
        stream.signal(&[(&cuda_c, 0)])?;

        // Vulkan waits for c and reads the third part.
        let seen = HostBuffer::new(&vulkan, PART as u64)?;
        let read = vulkan.submit(&[(&c, 0)], &[], |commands| {
            buffer.record_read(commands, 2 * PART as u64, &seen);
        })?;
        written.wait()?;
        read.wait()?;
        compare_bytes("from Vulkan to Vulkan", seen.bytes(), &sent)?;
        println!("round {round}: {PART} bytes from Vulkan by OpenGL and CUDA to Vulkan, every one right");
    }

    // The imports are destroyed before Vulkan's objects: OpenGL's here, CUDA's at the end of the scope.
    stream.synchronize()?;
    // SAFETY: each object is deleted once, after all work is done.
    unsafe {
        (gl.f.glFinish)();
        (gl.f.glDeleteBuffers)(1, &gl_buffer);
        (gl.external.glDeleteMemoryObjectsEXT)(1, &gl_memory);
        (gl.external.glDeleteSemaphoresEXT)(2, [gl_a, gl_b].as_ptr());
    }
    gl.check_gl_error("the teardown")
}
