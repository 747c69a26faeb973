//! What C sees of the descriptors and parameters that the examples make for Windows and for NvSci,
//! through a stand-in for the driver; and of every other call, on targets where tests/stand_in.rs
//! cannot build one: there `CUDA_EXTERNAL_SYS_TEST_DRIVER` names it (ci/targets/all makes them).

#[cfg(feature = "link")]
fn main() {
    println!("0 passed: these tests are of `load` mode");
}

#[cfg(not(feature = "link"))]
mod driver;
#[cfg(not(feature = "link"))]
#[path = "../interop/src/lib.rs"]
mod shared;
#[cfg(not(feature = "link"))]
use test_support as support;

#[cfg(not(feature = "link"))]
use shared::*;

#[cfg(not(feature = "link"))]
fn main() -> std::process::ExitCode {
    through_the_stand_in::main()
}

#[cfg(not(feature = "link"))]
mod through_the_stand_in {
    use std::collections::BTreeMap;
    use std::env;
    use std::ffi::{CStr, c_char, c_int, c_void};
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;
    use std::ptr;
    use std::sync::Barrier;
    use std::thread;

    use cuda_external_sys::*;

    use crate::driver::calls::{self, Control};
    use crate::driver::{self, layout::releases};
    use crate::shared::dxgi::{Dimension, Texture};
    use crate::shared::win32::{self, INFINITE, Shared};
    use crate::support::{self, Need};

    const DRIVER: &str = "CUDA_EXTERNAL_SYS_TEST_DRIVER";

    pub fn main() -> ExitCode {
        let stand_in = Need::new("mock-driver", &open());
        let test = |name, run: fn()| support::test(name, std::slice::from_ref(&stand_in), run);
        #[allow(unused_mut)] // NvSci is not on Windows
        let mut trials = vec![
            // The first one: it is about functions that nobody has called yet.
            test("calls_arrive_in_many_threads", threads),
            test("calls_arrive", || {
                println!(
                    "{}",
                    calls::all(&control(), |_| Vec::new()).unwrap_or_else(|words| panic!("{words}"))
                )
            }),
            test("memory_by_win32_handle_arrives", memory_by_win32_handle),
            test("semaphores_by_win32_handle_arrive", semaphores_by_win32_handle),
            test("fence_values_arrive", fence_values),
            test("mutex_keys_and_time_limits_arrive", mutex_keys),
            test("a_direct3d_texture_arrives", texture),
            test("a_luid_is_two_parts", || {
                assert_eq!(
                    win32::luid_parts([1, 2, 3, 4, 5, 6, 7, 0x88]),
                    (0x0403_0201, 0x8807_0605_u32 as i32)
                );
            }),
        ];
        #[cfg(unix)]
        trials.push(test("nvsci_objects_and_fences_arrive", nvsci));
        // What was recorded last is each thread's, but whether calls are recorded is the process's.
        support::run(trials, Some(1))
    }

    /// Loads the stand-in that is named, or the one that can be built here.
    fn open() -> Result<(), String> {
        let path = match env::var_os(DRIVER) {
            Some(path) => PathBuf::from(path),
            None if cfg!(windows) => return Err(format!("{DRIVER} names none; ci/targets/all makes one")),
            None => {
                support::compiler()?;
                let include = releases::this_builds_header()?;
                let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("descriptors");
                driver::build(&releases::this_builds(), &include, &folder)?
            }
        };
        // SAFETY: it is made for these tests.
        unsafe { load_from(&path) }.map(|_| ()).map_err(|error| error.to_string())
    }

    fn control() -> Control {
        let driver = load().expect("it was loaded by name");
        let symbol = |name: &CStr| driver.symbol(name).expect("it is the stand-in").as_ptr();
        // SAFETY: the stand-in's functions have these types, by stand_in.h.
        unsafe {
            Control {
                record: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(
                    c"stand_in_record",
                )),
                answer: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(symbol(
                    c"stand_in_answer",
                )),
                text: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(symbol(
                    c"stand_in_text",
                )),
            }
        }
    }

    fn threads() {
        const THREADS: usize = 8;
        const CODE: u32 = 9140;
        let control = control();
        control.start(CODE);
        let start = Barrier::new(THREADS);
        let calls: usize = thread::scope(|scope| {
            let one = |round| {
                let (start, control) = (&start, &control);
                scope.spawn(move || {
                    start.wait();
                    let counts = calls::once(control, round, CODE, |_| Vec::new());
                    counts.unwrap_or_else(|words| panic!("{words}")).calls
                })
            };
            let threads: Vec<_> = (0..THREADS).map(one).collect();
            threads.into_iter().map(|thread| thread.join().expect("its calls arrived")).sum()
        });
        println!("{THREADS} threads, {calls} calls");
    }

    /// What C saw of a call: each argument and field by its name there, as the bytes in memory.
    struct Seen(BTreeMap<String, Vec<u8>>);

    impl Seen {
        fn of(call: impl FnOnce() -> CUresult) -> Self {
            let control = control();
            // SAFETY: the stand-in's; the text is read before this thread's next call.
            let text = unsafe {
                (control.record)(1);
                (control.answer)(0);
                assert_eq!(call(), CUDA_SUCCESS);
                CStr::from_ptr((control.text)()).to_str().expect("it is ASCII")
            };
            let byte = |at: &[u8]| u8::from_str_radix(std::str::from_utf8(at).unwrap(), 16).unwrap();
            let fields = text.lines().filter_map(|line| line.split_once('='));
            Self(
                fields
                    .map(|(name, hex)| (name.to_owned(), hex.as_bytes().chunks(2).map(byte).collect()))
                    .collect(),
            )
        }

        #[track_caller]
        fn is(&self, name: &str, value: u64) {
            let bytes = self.0.get(name).unwrap_or_else(|| panic!("C has no {name}: {:?}", self.0.keys()));
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            assert_eq!(u64::from_le_bytes(word), value, "{name}");
        }

        /// Every byte that no other assertion is about.
        #[track_caller]
        fn zero(&self, start: &str) {
            let mut fields = self.0.iter().filter(|(name, _)| name.starts_with(start)).peekable();
            assert!(fields.peek().is_some(), "C has no {start}: {:?}", self.0.keys());
            for (name, bytes) in fields {
                assert!(bytes.iter().all(|byte| *byte == 0), "{name}: {bytes:02x?}");
            }
        }
    }

    const HANDLE: *mut c_void = 0x1122_3344_5566_7788_u64 as *mut c_void;

    /// Each way to name an object, with what the union's two pointers must be.
    fn names(name: &[u16]) -> [(Shared<'_>, u64, u64); 3] {
        [
            (Shared::Handle(HANDLE), HANDLE as u64, 0),
            (Shared::Kmt(HANDLE), HANDLE as u64, 0),
            (Shared::Name(name), 0, name.as_ptr() as u64),
        ]
    }

    fn memory_by_win32_handle() {
        let name: Vec<u16> = "Local\\a name\0".encode_utf16().collect();
        for (type_, number) in [
            (CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32, 2),
            (CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_WIN32_KMT, 3),
            (CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_HEAP, 4),
            (CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D12_RESOURCE, 5),
            (CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE, 6),
            (CU_EXTERNAL_MEMORY_HANDLE_TYPE_D3D11_RESOURCE_KMT, 7),
        ] {
            for ((shared, handle, pointer), dedicated) in names(&name).into_iter().zip([true, false, true]) {
                let descs = [win32::memory_desc(type_, shared, 0x1_0000_0001, dedicated); 2];
                let mut memory = ptr::null_mut();
                // SAFETY: the stand-in looks at two descriptors, and there are two.
                let seen = Seen::of(|| unsafe { cuImportExternalMemory(&mut memory, descs.as_ptr()) });
                for at in ["memHandleDesc[0]", "memHandleDesc[1]"] {
                    seen.is(&format!("{at}.type"), number);
                    seen.is(&format!("{at}.handle.win32.handle"), handle);
                    seen.is(&format!("{at}.handle.win32.name"), pointer);
                    seen.is(&format!("{at}.size"), 0x1_0000_0001);
                    seen.is(&format!("{at}.flags"), u64::from(dedicated));
                    seen.zero(&format!("{at}.reserved"));
                }
            }
        }
    }

    fn semaphores_by_win32_handle() {
        let name: Vec<u16> = "Local\\a name\0".encode_utf16().collect();
        for (type_, number) in [
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32, 2),
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_KMT, 3),
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE, 4),
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_FENCE, 5),
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX, 7),
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D11_KEYED_MUTEX_KMT, 8),
            (CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32, 10),
        ] {
            for (shared, handle, pointer) in names(&name) {
                let descs = [win32::semaphore_desc(type_, shared); 2];
                let mut semaphore = ptr::null_mut();
                // SAFETY: as above.
                let seen = Seen::of(|| unsafe { cuImportExternalSemaphore(&mut semaphore, descs.as_ptr()) });
                seen.is("semHandleDesc[0].type", number);
                seen.is("semHandleDesc[0].handle.win32.handle", handle);
                seen.is("semHandleDesc[0].handle.win32.name", pointer);
                seen.zero("semHandleDesc[0].flags");
                seen.zero("semHandleDesc[0].reserved");
            }
        }
    }

    fn signaled(params: CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS) -> Seen {
        let (semaphores, params) = ([ptr::null_mut(); 2], [params; 2]);
        // SAFETY: as above.
        Seen::of(|| unsafe {
            cuSignalExternalSemaphoresAsync(semaphores.as_ptr(), params.as_ptr(), 2, ptr::null_mut())
        })
    }

    fn waited(params: CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS) -> Seen {
        let (semaphores, params) = ([ptr::null_mut(); 2], [params; 2]);
        // SAFETY: as above.
        Seen::of(|| unsafe {
            cuWaitExternalSemaphoresAsync(semaphores.as_ptr(), params.as_ptr(), 2, ptr::null_mut())
        })
    }

    fn fence_values() {
        for seen in [signaled(win32::to_value(u64::MAX - 1)), waited(win32::for_value(u64::MAX - 1))] {
            seen.is("paramsArray[0].params.fence.value", u64::MAX - 1);
            seen.zero("paramsArray[0].params.keyedMutex");
            seen.zero("paramsArray[0].flags");
        }
    }

    fn mutex_keys() {
        let seen = signaled(win32::release(0x8877_6655_4433_2211));
        seen.is("paramsArray[0].params.keyedMutex.key", 0x8877_6655_4433_2211);
        seen.zero("paramsArray[0].params.fence");
        for limit in [0, 1500, INFINITE] {
            let seen = waited(win32::acquire(0x8877_6655_4433_2211, limit));
            seen.is("paramsArray[0].params.keyedMutex.key", 0x8877_6655_4433_2211);
            seen.is("paramsArray[0].params.keyedMutex.timeoutMs", u64::from(limit));
            seen.zero("paramsArray[0].params.fence");
            seen.zero("paramsArray[0].flags");
        }
    }

    fn texture() {
        let texture = Texture {
            dimension: Dimension::TextureCubeArray,
            format: 34, // R16G16_FLOAT
            width: 512,
            height: 512,
            depth_or_array_size: 12,
            levels: 10,
            render_target: true,
            surface: true,
        };
        let descs = [texture.mipmapped_array(65536).expect("CUDA has the format"); 2];
        let mut mipmap = ptr::null_mut();
        // SAFETY: as above.
        let seen = Seen::of(|| unsafe {
            cuExternalMemoryGetMappedMipmappedArray(&mut mipmap, ptr::null_mut(), descs.as_ptr())
        });
        for (field, value) in [
            ("offset", 65536),
            ("arrayDesc.Width", 512),
            ("arrayDesc.Height", 512),
            ("arrayDesc.Depth", 12),
            ("arrayDesc.Format", 0x10),
            ("arrayDesc.NumChannels", 2),
            // Layered, surface, cube map, colour attachment: bits 0, 1, 2 and 5.
            ("arrayDesc.Flags", 0b10_0111),
            ("numLevels", 10),
        ] {
            seen.is(&format!("mipmapDesc[0].{field}"), value);
        }
        seen.zero("mipmapDesc[0].reserved");
    }

    #[cfg(unix)]
    fn nvsci() {
        use crate::shared::nvsci::{Fence, memory_desc, semaphore_desc, signal_params, wait_params};

        let descs = [memory_desc(HANDLE, 1 << 33); 2];
        let mut memory = ptr::null_mut();
        // SAFETY: as above.
        let seen = Seen::of(|| unsafe { cuImportExternalMemory(&mut memory, descs.as_ptr()) });
        seen.is("memHandleDesc[0].type", 8);
        seen.is("memHandleDesc[0].handle.nvSciBufObject", HANDLE as u64);
        seen.is("memHandleDesc[0].size", 1 << 33);
        seen.zero("memHandleDesc[0].flags");

        let descs = [semaphore_desc(HANDLE); 2];
        let mut semaphore = ptr::null_mut();
        // SAFETY: as above.
        let seen = Seen::of(|| unsafe { cuImportExternalSemaphore(&mut semaphore, descs.as_ptr()) });
        seen.is("semHandleDesc[0].type", 6);
        seen.is("semHandleDesc[0].handle.nvSciSyncObj", HANDLE as u64);

        let mut fence = Fence::default();
        let address = &raw const fence as u64;
        for (coherent, signal, wait) in [(false, 0, 0), (true, 1, 2)] {
            let seen = signaled(signal_params(&mut fence, coherent));
            seen.is("paramsArray[0].params.nvSciSync.fence", address);
            seen.is("paramsArray[0].flags", signal);
            let seen = waited(wait_params(&mut fence, coherent));
            seen.is("paramsArray[0].params.nvSciSync.fence", address);
            seen.is("paramsArray[0].flags", wait);
        }

        for (part, number) in [(CUDA_NVSCISYNC_ATTR_SIGNAL, 1), (CUDA_NVSCISYNC_ATTR_WAIT, 2)] {
            // SAFETY: the stand-in does not look at the list.
            let seen = Seen::of(|| unsafe { cuDeviceGetNvSciSyncAttributes(HANDLE, 3, part as c_int) });
            seen.is("nvSciSyncAttrList", HANDLE as u64);
            seen.is("dev", 3);
            seen.is("flags", number);
        }
    }
}
