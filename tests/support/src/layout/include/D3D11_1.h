/* The interfaces that cudaD3D11.h points to. The bindings have `void` for each. */
typedef void ID3D11Device;
typedef void ID3D11Resource;
typedef void IDXGIAdapter;
