//! The conversions of Direct3D's formats, extents and flags, on Windows also against Direct3D's own constants. That a format
//! has the right element, the tests of `formats` prove.

use cuda_external_sys::*;

#[cfg(windows)]
use super::FORMATS;
use super::{Dimension, Texture};

#[cfg(windows)]
/// The names of the formats that are converted, as Direct3D has them, with their numbers.
fn names() -> Vec<(i32, String)> {
    let name = |format| format!("{format:?}").replace("SFLOAT", "FLOAT");
    let mut names = Vec::from(FORMATS.map(|(format, number, ..)| (number, name(format))));
    names.sort();
    names
}

const TEXTURE: Texture = Texture {
    dimension: Dimension::Texture2D,
    format: 2, // R32G32B32A32_FLOAT
    width: 64,
    height: 32,
    depth_or_array_size: 12,
    levels: 3,
    render_target: false,
    surface: false,
};

#[test]
fn each_dimension_has_its_extent_and_flags() {
    let (layered, cube) = (CUDA_ARRAY3D_LAYERED, CUDA_ARRAY3D_CUBEMAP);
    for (dimension, extent, flags) in [
        (Dimension::Texture1D, (64, 0, 0), 0),
        (Dimension::Texture1DArray, (64, 0, 12), layered),
        (Dimension::Texture2D, (64, 32, 0), 0),
        (Dimension::Texture2DArray, (64, 32, 12), layered),
        (Dimension::Texture3D, (64, 32, 12), 0),
        (Dimension::TextureCube, (64, 32, 12), cube),
        (Dimension::TextureCubeArray, (64, 32, 12), cube | layered),
    ] {
        let desc = Texture { dimension, ..TEXTURE }.mipmapped_array(4096).expect("CUDA has the format");
        let array = desc.arrayDesc;
        assert_eq!((array.Width, array.Height, array.Depth), extent, "{dimension:?}");
        assert_eq!(array.Flags, flags, "{dimension:?}");
        assert_eq!((array.Format, array.NumChannels), (CU_AD_FORMAT_FLOAT, 4));
        assert_eq!((desc.offset, desc.numLevels, desc.reserved), (4096, 3, [0; 16]));
    }
}

#[test]
fn bytes_count_every_level_and_slice() {
    let plane = (64 * 32 + 32 * 16 + 16 * 8) * 16;
    let bytes = |dimension| Texture { dimension, ..TEXTURE }.bytes().unwrap();
    assert_eq!(bytes(Dimension::Texture2DArray), plane * 12);
    assert_eq!(bytes(Dimension::Texture3D), (64 * 32 * 12 + 32 * 16 * 6 + 16 * 8 * 3) * 16);
    let flat = Texture { depth_or_array_size: 1, ..TEXTURE };
    assert_eq!(flat.bytes(), Some(plane));
    // A side ends at one texel.
    assert_eq!(Texture { height: 1, levels: 7, ..flat }.bytes(), Some((64 + 32 + 16 + 8 + 4 + 2 + 1) * 16));
}

#[cfg(windows)]
#[test]
fn the_numbers_are_direct3ds() {
    use windows::Win32::Graphics::Dxgi::Common::*;
    use windows::Win32::Graphics::{Direct3D::*, Direct3D12::*};

    macro_rules! constants {
        ($($name:ident)*) => { [$((stringify!($name), $name.0)),*] };
    }
    let formats = constants!(
        DXGI_FORMAT_R8_UINT DXGI_FORMAT_R8_SINT DXGI_FORMAT_R8_UNORM DXGI_FORMAT_R8_SNORM
        DXGI_FORMAT_R8G8_UINT DXGI_FORMAT_R8G8_SINT DXGI_FORMAT_R8G8_UNORM DXGI_FORMAT_R8G8_SNORM
        DXGI_FORMAT_R8G8B8A8_UINT DXGI_FORMAT_R8G8B8A8_SINT DXGI_FORMAT_R8G8B8A8_UNORM
        DXGI_FORMAT_R8G8B8A8_SNORM DXGI_FORMAT_R16_UINT DXGI_FORMAT_R16_SINT DXGI_FORMAT_R16_UNORM
        DXGI_FORMAT_R16_SNORM DXGI_FORMAT_R16_FLOAT DXGI_FORMAT_R16G16_UINT DXGI_FORMAT_R16G16_SINT
        DXGI_FORMAT_R16G16_UNORM DXGI_FORMAT_R16G16_SNORM DXGI_FORMAT_R16G16_FLOAT
        DXGI_FORMAT_R16G16B16A16_UINT DXGI_FORMAT_R16G16B16A16_SINT DXGI_FORMAT_R16G16B16A16_UNORM
        DXGI_FORMAT_R16G16B16A16_SNORM DXGI_FORMAT_R16G16B16A16_FLOAT DXGI_FORMAT_R32_UINT
        DXGI_FORMAT_R32_SINT DXGI_FORMAT_R32_FLOAT DXGI_FORMAT_R32G32_UINT DXGI_FORMAT_R32G32_SINT
        DXGI_FORMAT_R32G32_FLOAT DXGI_FORMAT_R32G32B32A32_UINT DXGI_FORMAT_R32G32B32A32_SINT
        DXGI_FORMAT_R32G32B32A32_FLOAT
    );
    let mut theirs = Vec::from(formats.map(|(name, value)| (value, name.replace("DXGI_FORMAT_", ""))));
    theirs.sort();
    assert_eq!(names(), theirs);
    for (dimension, d3d12, d3d11) in [
        (Dimension::Texture1D, D3D12_SRV_DIMENSION_TEXTURE1D.0, D3D11_SRV_DIMENSION_TEXTURE1D),
        (Dimension::Texture1DArray, D3D12_SRV_DIMENSION_TEXTURE1DARRAY.0, D3D11_SRV_DIMENSION_TEXTURE1DARRAY),
        (Dimension::Texture2D, D3D12_SRV_DIMENSION_TEXTURE2D.0, D3D11_SRV_DIMENSION_TEXTURE2D),
        (Dimension::Texture2DArray, D3D12_SRV_DIMENSION_TEXTURE2DARRAY.0, D3D11_SRV_DIMENSION_TEXTURE2DARRAY),
        (Dimension::Texture3D, D3D12_SRV_DIMENSION_TEXTURE3D.0, D3D11_SRV_DIMENSION_TEXTURE3D),
        (Dimension::TextureCube, D3D12_SRV_DIMENSION_TEXTURECUBE.0, D3D11_SRV_DIMENSION_TEXTURECUBE),
        (
            Dimension::TextureCubeArray,
            D3D12_SRV_DIMENSION_TEXTURECUBEARRAY.0,
            D3D11_SRV_DIMENSION_TEXTURECUBEARRAY,
        ),
    ] {
        let D3D_SRV_DIMENSION(d3d11) = d3d11;
        assert_eq!((dimension as i32, dimension as i32), (d3d12, d3d11), "{dimension:?}");
    }
}
