//! The calls of Vulkan, one by one, as tests/calls.txt lists them. A GPU may show the right bytes without some of it.

mod driver;

pub use driver::calls;

use std::fs;
use std::os::fd::AsRawFd;
use std::path::Path;

use ash::vk::{self, Handle};

use super::device::find_memory_type;
use super::{
    Buffer, DedicatedTo, Image, Instance, Kind, Memory, PhysicalDevice, Placement, ReusableSubmission,
    Semaphore, Shape, Vulkan, create_image,
};
use cuda_external_sys::{
    CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD,
};

use crate::hand_over::{self, Scope};
use crate::{Error, Result};

/// A device of the fake driver.
pub fn open() -> Result<Vulkan> {
    let instance = Instance::with_functions(driver::find);
    let devices = instance.devices()?;
    assert_eq!(Vec::from_iter(devices.iter().map(|device| device.name.as_str())), ["B", "C", "D"]);
    assert_eq!(Vec::from_iter(devices.iter().map(|device| device.grouped)), [false, true, true]);
    assert_eq!(devices[0].uuid, [1; 16]);
    Vulkan::open_device(instance, &devices[0])
}

fn buffers(vulkan: &Vulkan) -> Result<()> {
    let (buffer, _memory) = Buffer::with_memory(vulkan, 200, true)?;
    buffer.write(8, b"sixteen bytes...")?;
    assert_eq!(buffer.read(8, 16)?, b"sixteen bytes...");
    buffer.write(0, b"four")?;
    // A buffer that is Vulkan's already is not taken again.
    vulkan.run(|commands| buffer.acquire(commands))?;
    buffer.write(4, b"five")?;
    let (buffer, memory) = Buffer::with_memory(vulkan, 100, false)?;
    assert!(buffer.prefers_dedicated);
    assert_eq!((memory.size, memory.dedicated), (256, false));
    vulkan.run(|commands| buffer.transfer(commands, 7, vk::QUEUE_FAMILY_FOREIGN_EXT))
}

fn memory(vulkan: &Vulkan) -> Result<()> {
    let memory = Memory::new(vulkan, 300, 0b10, DedicatedTo::Buffer(vk::Buffer::from_raw(99)))?;
    let imported = memory.export()?;
    let number = imported.as_raw_fd();
    let result = Memory::import(vulkan, imported, 300, 0b10, DedicatedTo::Image(vk::Image::from_raw(98)));
    // Only a failed import leaves the descriptor to its caller.
    assert_eq!(is_open(number), result.is_ok());
    result.map(drop)
}

fn is_open(number: i32) -> bool {
    Path::new(&format!("/proc/self/fd/{number}")).exists()
}

fn images(vulkan: &Vulkan) -> Result<()> {
    let extent = vk::Extent3D { width: 8, height: 4, depth: 1 };
    let shape = Shape { view: vk::ImageViewType::TYPE_2D_ARRAY, extent, layers: 2, levels: 2 };
    let usage = vk::ImageUsageFlags::SAMPLED;
    let image = Image::new(vulkan, shape, vk::Format::R8G8B8A8_UNORM, usage, Placement::OwnMemory)?;
    assert_eq!([image.level_size(0), image.level_size(1)], [256, 64]);
    let parts = [vec![1; 256], vec![2; 64]];
    image.write(&parts)?;
    assert_eq!(image.read()?, parts);
    let cube = Shape { view: vk::ImageViewType::CUBE, layers: 6, levels: 1, ..shape };
    let behind = Placement::AtOffset { before: 1, behind: 50 };
    let image = Image::new(vulkan, cube, vk::Format::R8_UINT, usage, behind)?;
    assert_eq!(image.offset, 128);
    image.release_empty()?;
    Image::with_texel_size(vulkan, cube, vk::Format::D32_SFLOAT, 4, usage, Placement::OwnMemory).map(drop)
}

fn semaphores(vulkan: &Vulkan) -> Result<()> {
    let (binary, timeline) = (Semaphore::binary(vulkan)?, Semaphore::timeline(vulkan, 3)?);
    assert_eq!([Kind::Binary.name(), Kind::Timeline.name()], ["binary", "timeline"]);
    assert_eq!(binary.handle_type(), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD);
    assert_eq!(timeline.handle_type(), CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD);
    binary.export()?;
    timeline.signal(4)?;
    timeline.wait(5)?;
    assert_eq!(timeline.value()?, 77);
    let submission = vulkan.submit(&[(&timeline, 6)], &[(&binary, 0), (&timeline, 7)], |_| ())?;
    assert!(!submission.is_done()?);
    submission.wait()?;
    drop(Semaphore::new(vulkan, Kind::Timeline)?);

    let queue = vulkan.transfer_queue().expect("the fake device has one");
    let buffers = [vk::Buffer::from_raw(5), vk::Buffer::from_raw(6)];
    let families = [vk::QUEUE_FAMILY_EXTERNAL, vk::QUEUE_FAMILY_FOREIGN_EXT];
    // SAFETY: the handles live.
    let commands = unsafe { hand_over::record(vulkan, queue, &buffers, families, Some(Scope::ALL), |_| ()) }?;
    // SAFETY: the handles live.
    unsafe { hand_over::record(vulkan, queue, &buffers, families, None, |_| ()) }?;
    let values = [8, 9];
    let [wait, signal] = [(timeline.raw, &raw const values[0]), (timeline.raw, &raw const values[1])];
    for commands in [Some(commands), None] {
        let submission = ReusableSubmission::new(wait, commands, signal);
        // SAFETY: the values live, and nothing runs.
        unsafe { submission.submit(vulkan, queue)? };
        assert!(!submission.info().is_null());
    }
    Ok(())
}

type Part = fn(&Vulkan) -> Result<()>;

/// Each part by itself, on a device of its own.
const PARTS: [(&str, Part); 4] =
    [("buffers", buffers), ("memory", memory), ("images", images), ("semaphores", semaphores)];

#[test]
fn these_calls_are_made_and_no_other() {
    let mut seen = String::new();
    for (name, part) in PARTS {
        driver::reset();
        open().and_then(|vulkan| part(&vulkan)).unwrap();
        seen += &format!("{name}\n    {}\n", calls().join("\n    "));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/vulkan/tests/calls.txt");
    if std::env::var_os("CUDA_EXTERNAL_SYS_BLESS").is_some() {
        fs::write(&file, &seen).unwrap();
        panic!("{} is rewritten. Run the test again without CUDA_EXTERNAL_SYS_BLESS", file.display());
    }
    let expected = fs::read_to_string(&file).unwrap();
    let differ = seen.lines().zip(expected.lines()).find(|(seen, expected)| seen != expected);
    assert!(
        seen == expected,
        "{} has another call first: {differ:#?}\n\n{seen}\nWhere the change is meant: CUDA_EXTERNAL_SYS_BLESS=1 cargo \
         test -p interop",
        file.display()
    );
}

#[test]
fn each_error_of_vulkan_is_returned() {
    for (name, part) in PARTS {
        let mut after = 0;
        loop {
            driver::fail_after(Some(after));
            let result = open().and_then(|vulkan| part(&vulkan));
            if !driver::has_failed() {
                result.unwrap();
                break;
            }
            let calls = calls();
            let words = match result {
                Err(Error::Failed(words)) => words,
                // An image that the device does not support.
                Err(Error::Missing(words)) if words.ends_with(": ERROR_UNKNOWN") => String::new(),
                result => {
                    panic!("{name}: call {after} failed, and the result is {result:?}: {:?}", calls.last())
                }
            };
            // Where the call is, and not where its code was converted.
            let is_there =
                words.starts_with("Vulkan: ERROR_UNKNOWN at interop/") && !words.contains("error.rs");
            assert!(words.is_empty() || is_there, "{words}");
            after += 1;
        }
        assert!(after > 12, "{name}: {after} calls may fail");
        driver::fail_after(None);
    }
}

#[test]
fn what_a_device_lacks_is_named() {
    let lacking = |extension| {
        driver::lack(extension);
        open()
    };
    let vulkan = lacking(ash::khr::external_semaphore_fd::NAME).unwrap();
    let error = Semaphore::binary(&vulkan).err().unwrap();
    assert!(matches!(error, Error::Missing(words) if words == "B has no VK_KHR_external_semaphore_fd"));
    let error = lacking(ash::khr::external_memory_fd::NAME).err().unwrap();
    assert!(matches!(error, Error::Missing(words) if words == "B has no VK_KHR_external_memory_fd"));
    driver::reset();
    let vulkan = lacking(ash::ext::queue_family_foreign::NAME).unwrap();
    assert!(!vulkan.shares_dma_bufs);
    assert!(!calls().iter().any(|call| call.contains("dma_buf")));
    let vulkan = lacking(c"none").unwrap();
    assert!(vulkan.shares_dma_bufs);

    let instance = Instance::with_functions(driver::find);
    let device = PhysicalDevice { version: vk::API_VERSION_1_2, ..instance.devices().unwrap()[0].clone() };
    let error = Vulkan::open_device(instance, &device).err().unwrap();
    assert!(matches!(error, Error::Missing(words) if words == "B's driver is older than Vulkan 1.3"));

    // An image that the device does not export, and one with too many levels or layers.
    let extent = vk::Extent3D { width: 8, height: 4, depth: 1 };
    let shape = |layers, levels| Shape { view: vk::ImageViewType::TYPE_2D, extent, layers, levels };
    let why = |tiling, shape| {
        let (usage, flags) = (vk::ImageUsageFlags::SAMPLED, vk::ImageCreateFlags::empty());
        create_image(&vulkan, &shape, vk::Format::R8_UINT, tiling, usage, flags)
            .err()
            .map(|error| error.to_string())
    };
    let (optimal, linear) = (vk::ImageTiling::OPTIMAL, vk::ImageTiling::LINEAR);
    assert_eq!(why(optimal, shape(6, 3)), None);
    let words =
        |tiling: &str, why: &str| Some(format!("B cannot export R8_UINT {tiling} SAMPLED as TYPE_2D: {why}"));
    assert_eq!(why(optimal, shape(7, 3)), words("OPTIMAL", "too many levels or layers"));
    assert_eq!(why(optimal, shape(6, 4)), words("OPTIMAL", "too many levels or layers"));
    assert_eq!(why(linear, shape(6, 3)), words("LINEAR", "not exportable"));
    let (format, usage) = (vk::Format::D16_UNORM, vk::ImageUsageFlags::SAMPLED);
    let error = Image::new(&vulkan, shape(1, 1), format, usage, Placement::OwnMemory).err().unwrap();
    assert_eq!(error.to_string(), "CUDA has no element for D16_UNORM");
    let error = Memory::new(&vulkan, 1, 0b1001, DedicatedTo::Nothing).err().unwrap();
    assert_eq!(error.to_string(), "no memory type among 0x9 has DEVICE_LOCAL");
    let error = lacking(c"graphics").err().unwrap();
    assert!(matches!(error, Error::Missing(words) if words == "B has no queue that draws"));
}

#[test]
fn a_view_has_an_image_of_its_dimension() {
    use vk::{ImageType, ImageViewType};

    for (view, image, is_cube) in [
        (ImageViewType::TYPE_1D, ImageType::TYPE_1D, false),
        (ImageViewType::TYPE_1D_ARRAY, ImageType::TYPE_1D, false),
        (ImageViewType::TYPE_2D, ImageType::TYPE_2D, false),
        (ImageViewType::TYPE_2D_ARRAY, ImageType::TYPE_2D, false),
        (ImageViewType::TYPE_3D, ImageType::TYPE_3D, false),
        (ImageViewType::CUBE, ImageType::TYPE_2D, true),
        (ImageViewType::CUBE_ARRAY, ImageType::TYPE_2D, true),
    ] {
        let extent = vk::Extent3D { width: 9, height: 5, depth: 3 };
        let shape = Shape { view, extent, layers: 2, levels: 3 };
        assert_eq!((shape.image_type(), shape.is_cube()), (image, is_cube), "{view:?}");
        let levels = [0, 1, 3].map(|level| (shape.level_extent(level), shape.level_texels(level)));
        let extents = [(9, 5, 3), (4, 2, 1), (1, 1, 1)];
        let extents = extents.map(|(width, height, depth)| vk::Extent3D { width, height, depth });
        assert_eq!(levels, [(extents[0], 270), (extents[1], 16), (extents[2], 2)]);
    }
}

#[test]
fn a_memory_type_is_one_of_those_that_are_allowed() {
    let (local, visible) = (vk::MemoryPropertyFlags::DEVICE_LOCAL, vk::MemoryPropertyFlags::HOST_VISIBLE);
    let types =
        [visible, local, local | visible, local].map(|flags| vk::MemoryType::default().property_flags(flags));
    for (bits, wanted, expected) in [
        (0b1111, local, Some(1)),
        (0b1100, local, Some(2)),
        (0b1000, local, Some(3)),
        (0b1111, local | visible, Some(2)),
        (0b1010, visible, None),
        (0b0001, local, None),
        (0, local, None),
    ] {
        assert_eq!(find_memory_type(&types, bits, wanted), expected, "{bits:#b} {wanted:?}");
    }
}
