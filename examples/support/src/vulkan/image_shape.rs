use ash::vk;

/// A Vulkan image's extent, array layers and mip levels.
#[derive(Clone, Copy, Debug)]
pub struct ImageShape {
    /// The type of a view of the whole image.
    pub view: vk::ImageViewType,
    /// The extent of level 0.
    pub extent: vk::Extent3D,
    /// The number of array layers: six for each cube.
    pub layers: u32,
    pub levels: u32,
}

impl ImageShape {
    pub fn level_extent(&self, level: u32) -> vk::Extent3D {
        let halved = |length: u32| (length >> level).max(1);
        let vk::Extent3D { width, height, depth } = self.extent;
        vk::Extent3D { width: halved(width), height: halved(height), depth: halved(depth) }
    }

    /// Returns the number of texels that a level has in all its layers.
    pub fn level_texels(&self, level: u32) -> usize {
        let vk::Extent3D { width, height, depth } = self.level_extent(level);
        width as usize * height as usize * depth as usize * self.layers as usize
    }

    pub(super) fn image_type(&self) -> vk::ImageType {
        match self.view {
            vk::ImageViewType::TYPE_1D | vk::ImageViewType::TYPE_1D_ARRAY => vk::ImageType::TYPE_1D,
            vk::ImageViewType::TYPE_3D => vk::ImageType::TYPE_3D,
            _ => vk::ImageType::TYPE_2D,
        }
    }

    pub(super) fn is_cube(&self) -> bool {
        matches!(self.view, vk::ImageViewType::CUBE | vk::ImageViewType::CUBE_ARRAY)
    }
}
