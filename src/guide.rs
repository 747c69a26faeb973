//! The pages of the guide. [The index](crate) lists them by the reader's task.

macro_rules! pages {
    ($($module:ident $file:literal;)*) => {
        $(
            #[doc = page!($file)]
            pub mod $module {}
        )*
    };
}

pages! {
    vulkan_image "vulkan-image.md";
    frames "frames.md";
    allocators "allocators.md";
    video "video.md";
    first_aid "first-aid.md";
    testing_without_a_gpu "testing-without-a-gpu.md";
    check "check.md";
    check_rules "check-rules.md";
    direct3d "direct3d.md";
    nvsci "nvsci.md";
    dlpack "dlpack.md";
    cudarc "cudarc.md";
    names "names.md";
    replace_declarations "replace-declarations.md";
    platforms "platforms.md";
    building "building.md";
    verified "verified.md";
    releases "releases.md";
}
