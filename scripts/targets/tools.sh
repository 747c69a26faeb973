# Sourced by scripts/targets/all: the emulators as programs, and the environment of all that follows.
section 'tools'
for tool in aarch64-linux-gnu-gcc x86_64-w64-mingw32-gcc clang qemu-aarch64 /usr/lib/wine/wine64; do
    command -v "$tool" || fail "no $tool: see .ci/run for the packages"
done
# Variables of this machine must not change the checks.
unset RUSTC RUSTFLAGS CC CFLAGS CUDA_PATH CUDA_HOME CUDA_ROOT CUDA_TOOLKIT_PATH CUDA_TOOLKIT_ROOT_DIR CUDAToolkit_ROOT
unset CUDA_EXTERNAL_SYS_BINDINGS CUDA_EXTERNAL_SYS_INCLUDE_DIR CUDA_EXTERNAL_SYS_TEST_TARGET

# The emulated program has its own libraries.
cat >"$work/run-aarch64" <<'END'
#!/bin/sh
library_path=$LD_LIBRARY_PATH preload=$LD_PRELOAD
unset LD_LIBRARY_PATH LD_PRELOAD
exec qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$library_path" -E LD_PRELOAD="$preload" "$@"
END
cat >"$work/run-windows" <<END
#!/bin/sh
export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= DISPLAY=
exec /usr/lib/wine/wine64 "\$@"
END
chmod +x "$work"/run-*

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$work/run-aarch64
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$work/run-windows
rustc --version
cargo clippy --version

section 'Wine'
if [ ! -e "$work/prefix/.complete" ]; then
    rm -rf "$work/prefix"
    system=$work/prefix/drive_c/windows/system32
    mkdir -p "$system"
    # Wine 8 lacks this library, from which Rust's std takes random numbers.
    cat >"$work/bcryptprimitives.c" <<'END'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return RtlGenRandom(data, (ULONG)size); }
END
    x86_64-w64-mingw32-gcc -shared -o "$system/bcryptprimitives.dll" "$work/bcryptprimitives.c" -ladvapi32
    cp /usr/x86_64-w64-mingw32/lib/zlib1.dll "$system/"
    "$work/run-windows" wineboot --init 2>/dev/null || fail 'Wine does not start'
    touch "$work/prefix/.complete"
fi
