#!/bin/sh
# Makes the libraries and the manifests of the broken machines in the current directory. The libraries' source is
# `libraries.c`, beside this file. CPU is the driver in software, LVP is lavapipe's manifest.
set -eu
build() { # what, library, options
    what=$1 library=$2 && shift 2
    ${CC:-cc} -shared -fPIC -w -Wl,--no-as-needed "-D$what" "$(dirname "$0")/libraries.c" -o "$library" "$@"
}
manifest() { # name, library
    printf '{"file_format_version":"1.0.0","ICD":{"library_path":"%s","api_version":"1.3.0"}}' "$2" >"$1.json"
}
layer() { # directory, library
    printf '{"file_format_version":"1.2.0","layer":{"name":"VK_LAYER_%s","type":"GLOBAL","library_path":"%s",
        "api_version":"1.3.0","implementation_version":"1","description":"broken"}}' "$1" "$2" >"$1/layer.json"
}
mkdir cpu compat shim text loader loader/egl versioned stub other crash hang needs layer shadow root noexec dangling
mkdir unreadable graphics
for file in cpu/libcuda.so.1 compat/libcuda.so.1 versioned/libcuda.so.1.2.3; do cp "$CPU" $file; done
ln -s libcuda.so.1.2.3 versioned/libcuda.so.1
for file in text/libcuda.so.1 loader/libvulkan.so.1 loader/egl/libEGL.so.1; do echo text >$file; done
build NEEDED libneeded.so -Wl,-soname,libneeded.so
build NEEDED libXext.so -Wl,-soname,libXext.so.99
build STUB stub/libcuda.so.1
build OTHER other/libcuda.so.1
build CRASH crash/libcuda.so.1
build HANG hang/libcuda.so.1
build ICD libother.so
echo 'GLIBCXX_3.4 { *; };' >shadow/map
build NEEDED shadow/libstdc++.so.6 -Wl,-soname,libstdc++.so.6 -Wl,--version-script=shadow/map
build ICD libnvidia.so
cp libnvidia.so graphics/libEGL_nvidia.so.0
build DENY libdeny.so
build EGL libEGL_nvidia.so
build OTHER needs/libcuda.so.1 -L. -lneeded
build ICD libneeds.so -L. -lXext
# The libraries that need these two are opened without them.
rm libneeded.so libXext.so
# The driver in software under another name: the library SHIM, which has the driver's name, needs the driver.
LC_ALL=C sed 's/libcuda\.so\.1\x00/libcudb.so.1\x00/g' "$CPU" >shim/libcudb.so.1
# shellcheck disable=SC2016 # the loader expands $ORIGIN
build SHIM shim/libcuda.so.1 -Lshim -l:libcudb.so.1 -Wl,-soname,libcuda.so.1 '-Wl,-rpath,$ORIGIN'
manifest absent_library libabsent.so
manifest needs ./libneeds.so
manifest crash ./crash/libcuda.so.1
manifest other ./libother.so
manifest lvp_none ./libother.so
manifest nvidia libGLX_nvidia.so.0
manifest nvidia_none ./libnvidia.so
mkdir -p installed/vulkan/icd.d pts
manifest installed/vulkan/icd.d/nvidia_icd libEGL_nvidia.so.0
manifest egl_nvidia ./libEGL_nvidia.so
cp /usr/share/glvnd/egl_vendor.d/*mesa.json mesa.json
printf '{"ICD":' >invalid.json
layer crash ./libcuda.so.1
layer layer ./libabsent.so
cp "$LVP" lvp.json
cp "$LVP" unreadable.json
sed 's/"api_version": *"[^"]*"/"api_version": "1.0.5"/' "$LVP" >old_version.json
printf '{"ICD":{"library_path":"./libother.so"}}' >no_version.json
ln -s libcuda.so.1.2.3 dangling/libcuda.so.1
ln -s absent.json dangling/nvidia.json
mkfifo fifo
ln -s fifo link_to_fifo.json
mkdir -p data/vulkan/implicit_layer.d closed
cp invalid.json data/vulkan/implicit_layer.d/bad.json
manifest unreadable_library ./libunreadable.so
cp libother.so libunreadable.so
cp "$CPU" unreadable/libcuda.so.1
chmod 000 libunreadable.so unreadable.json unreadable/libcuda.so.1
