/* cudaD3D11Typedefs.h includes it, and uses nothing of it. */
