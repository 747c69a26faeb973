//! CUDA exports memory as an opaque file descriptor, and imports the descriptor in the same process. On a machine
//! without a CUDA driver, the example shares the CPU's memory, through cuda-external-cpu, a CUDA driver in software.
//!
//! In other programs, the exporter is Vulkan or another process. Look at who owns the descriptor (`Importer::new`), at
//! the sizes of the allocation and of the mapping, and at the order of the calls in both `tear_down` functions.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("Opaque file descriptors exist on Linux alone. On Windows, see the example vulkan_win32.");
    ExitCode::SUCCESS
}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::ffi::{CStr, c_int};
    use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
    use std::process::ExitCode;

    use cuda_external_sys::*;

    type Result<T> = std::result::Result<T, Box<dyn Error>>;

    /// Less than 512 MiB: an import of 512 MiB of CUDA's memory crashed on a host with two H200s (docs/memory.md).
    const SIZE: usize = 64 << 20;

    const HELP: &str = "\
Shares 64 MiB of GPU memory through an opaque file descriptor, and checks every byte both ways.
Without a driver it goes on with the driver in software, cuda-external-cpu, on the CPU.

Exits with 0 where every byte was right, or where the machine's driver has no GPU, with 1 where a call failed.";

    pub fn main() -> ExitCode {
        match std::env::args().nth(1).as_deref() {
            None => {}
            Some("--help" | "-h") => {
                println!("{HELP}");
                return ExitCode::SUCCESS;
            }
            Some(other) => {
                eprintln!("{other}: no such option\n\n{HELP}");
                return ExitCode::from(2);
            }
        }
        let (major, minor) = (CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
        println!("bindings   CUDA {major}.{minor}; {BINDINGS_SOURCE}");
        let driver = load().or_else(|error| {
            println!("driver     {error}");
            println!("           This machine has no CUDA driver: going on with the one in software.");
            // SAFETY: cuda-external-cpu's functions have the types that cuda-external-sys declares. rustc checks most.
            unsafe { load_with(cuda_external_cpu::NAME, cuda_external_cpu::symbol) }
        });
        match driver {
            Ok(driver) => {
                let (major, minor) = (driver.version() / 1000, driver.version() % 1000 / 10);
                println!("driver     {}, for CUDA up to {major}.{minor}", driver.name().to_string_lossy());
            }
            Err(error) => {
                eprintln!("\nFailed: {error}");
                return ExitCode::FAILURE;
            }
        }
        match share_memory() {
            Ok(None) => {
                let is_gpu = load().is_ok_and(|driver| driver.name() != cuda_external_cpu::NAME);
                let by = if is_gpu { "" } else { " by the CPU, with the driver in software" };
                println!("\nShared{by}: what either side wrote, the other one read, byte for byte.");
                ExitCode::SUCCESS
            }
            Ok(Some(what)) => {
                println!("\nThis machine {what}, so there is nothing to share. All is well otherwise.");
                ExitCode::SUCCESS
            }
            Err(message) => {
                eprintln!("\nFailed: {message}");
                ExitCode::FAILURE
            }
        }
    }

    /// Shares memory, or returns what the machine lacks.
    fn share_memory() -> Result<Option<&'static str>> {
        // SAFETY: each call gets live handles, and pointers to variables of the types that it writes.
        unsafe {
            match cuInit(0) {
                CUDA_ERROR_NO_DEVICE => return Ok(Some("has a driver, but no CUDA device")),
                CUDA_ERROR_STUB_LIBRARY | CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
                    return Ok(Some("has no driver that its kernel module fits"));
                }
                code => code.result()?,
            }
            let (mut device, mut name, mut can_export) = (0, [0; 256], 0);
            let attribute = CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED;
            cuDeviceGet(&mut device, 0).result()?;
            cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device).result()?;
            cuDeviceGetAttribute(&mut can_export, attribute, device).result()?;
            println!("device     0: {}", CStr::from_ptr(name.as_ptr()).to_string_lossy());
            if can_export == 0 {
                return Ok(Some("has a GPU that exports no memory as a file descriptor"));
            }
            let mut context = std::ptr::null_mut();
            cuDevicePrimaryCtxRetain(&mut context, device).result()?;
            cuCtxSetCurrent(context).result()?;

            let exporter = Exporter::new(device)?;
            let fd = exporter.export_fd()?;
            let importer = Importer::new(fd, exporter.size)?;

            check_one_way("exporter", exporter.address, "importer", importer.address, exporter.size, 0x5a)?;
            check_one_way("importer", importer.address, "exporter", exporter.address, exporter.size, 0xc3)?;

            cuCtxSynchronize().result()?;
            importer.tear_down()?;
            exporter.tear_down()?;
            cuDevicePrimaryCtxRelease(device).result()?;
            println!("torn down  mapping, import, the exporter's mapping, memory, context");
        }
        Ok(None)
    }

    /// Writes a pattern through one mapping, reads it through the other, and checks every byte.
    unsafe fn check_one_way(
        writer: &str,
        to: CUdeviceptr,
        reader: &str,
        from: CUdeviceptr,
        size: usize,
        seed: u8,
    ) -> Result<()> {
        // Bytes whose distance is a power of two differ, so an offset that is wrong by a power of two is found.
        let period = Vec::from_iter((0..251).map(|at: u8| at ^ seed));
        let mut pattern = period.repeat(size.div_ceil(period.len()));
        pattern.truncate(size);
        let mut read = vec![0u8; size];
        // SAFETY: both mappings and both vectors have `size` bytes. CUDA uses a vector only during the call.
        unsafe {
            cuMemcpyHtoD(to, pattern.as_ptr().cast(), size).result()?;
            cuMemcpyDtoH(read.as_mut_ptr().cast(), from, size).result()?;
        }
        if read != pattern {
            let at = (0..size).find(|&at| read[at] != pattern[at]).unwrap_or_default();
            let (wrote, read) = (pattern[at], read[at]);
            Err(format!("byte {at}: the {writer} wrote {wrote:#04x}, the {reader} read {read:#04x}"))?;
        }
        println!("checked    {size} bytes written by the {writer}, read by the {reader}");
        Ok(())
    }

    /// The side that allocates. In other programs, Vulkan or another process allocates.
    struct Exporter {
        memory: CUmemGenericAllocationHandle,
        address: CUdeviceptr,
        size: usize,
    }

    impl Exporter {
        unsafe fn new(device: CUdevice) -> Result<Self> {
            let location = CUmemLocation { type_: CU_MEM_LOCATION_TYPE_DEVICE, id: device };
            let properties = CUmemAllocationProp {
                type_: CU_MEM_ALLOCATION_TYPE_PINNED,
                requestedHandleTypes: CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                location,
                ..Default::default()
            };
            let access = CUmemAccessDesc { location, flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
            let (mut granularity, mut memory, mut address) = (0, 0, 0);
            // SAFETY: every pointer is to a variable here, and the range that is mapped is the one that was reserved.
            let size = unsafe {
                let minimum = CU_MEM_ALLOC_GRANULARITY_MINIMUM;
                cuMemGetAllocationGranularity(&mut granularity, &properties, minimum).result()?;
                let size = SIZE.next_multiple_of(granularity);
                cuMemCreate(&mut memory, size, &properties, 0).result()?;
                cuMemAddressReserve(&mut address, size, 0, 0, 0).result()?;
                cuMemMap(address, size, 0, memory, 0).result()?;
                cuMemSetAccess(address, size, &access, 1).result()?;
                size
            };
            println!("allocated  {} MiB by cuMemCreate, at {address:#x}", size >> 20);
            Ok(Self { memory, address, size })
        }

        /// Returns a new descriptor of the memory. The program owns the descriptor until an import takes it.
        unsafe fn export_fd(&self) -> Result<OwnedFd> {
            let mut fd: c_int = -1;
            // SAFETY: for this type of handle the function writes an int, a descriptor that this process owns.
            let fd = unsafe {
                let kind = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
                cuMemExportToShareableHandle((&raw mut fd).cast(), self.memory, kind, 0).result()?;
                OwnedFd::from_raw_fd(fd)
            };
            println!("exported   as file descriptor {}", fd.as_raw_fd());
            Ok(fd)
        }

        unsafe fn tear_down(self) -> Result<()> {
            // SAFETY: the importer was torn down, and nothing uses the mapping.
            unsafe {
                cuMemUnmap(self.address, self.size).result()?;
                cuMemAddressFree(self.address, self.size).result()?;
                cuMemRelease(self.memory).result()?;
            }
            Ok(())
        }
    }

    struct Importer {
        memory: CUexternalMemory,
        address: CUdeviceptr,
    }

    impl Importer {
        unsafe fn new(fd: OwnedFd, size: usize) -> Result<Self> {
            let (mut memory, mut address) = (std::ptr::null_mut(), 0);
            let mut handle = CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
                type_: CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD,
                // The size of the whole allocation, not of the part that will be mapped.
                size: size as u64,
                ..Default::default()
            };
            // Some failed imports close the descriptor, too: the program gives it up here and never closes it.
            handle.handle.fd = fd.into_raw_fd();
            let buffer =
                CUDA_EXTERNAL_MEMORY_BUFFER_DESC { offset: 0, size: size as u64, ..Default::default() };
            // SAFETY: both structs and both results are variables here, and the range is the whole allocation.
            unsafe {
                cuImportExternalMemory(&mut memory, &handle).result()?;
                cuExternalMemoryGetMappedBuffer(&mut address, memory, &buffer).result()?;
            }
            println!("imported   and mapped, at {address:#x}");
            Ok(Self { memory, address })
        }

        /// Destroys the mapping first, then the import. The exporter's memory is freed after both.
        unsafe fn tear_down(self) -> Result<()> {
            // SAFETY: nothing uses the mapping any more.
            unsafe {
                cuMemFree(self.address).result()?;
                cuDestroyExternalMemory(self.memory).result()?;
            }
            Ok(())
        }
    }
}
