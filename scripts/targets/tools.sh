# Sourced by scripts/targets/all. Rustup fetches this machine's release of Rust with std for all targets into target/rustup.
# Debian's packages are unpacked into target/targets/root: the C compilers, the emulators, and Rust where rustup fetches
# none. Libraries that the machine has are used from there.
section 'tools'
rust_packages=
# shellcheck disable=SC2086 # several words
if ! fetch_rust "$(rustc --version | cut -d ' ' -f 2)" "$target_directory/rustup" $targets $elsewhere $without_std 2>"$work/log"; then
    rust_bin=$root/usr/bin
    rust_packages='rustc-web cargo-web rust-web-clippy rust-web-src libstd-rust-web-dev'
    # The tools of a run that had rustup lack these.
    [ -x "$rust_bin/rustc" ] || rm -f "$root/.complete"
fi
if [ ! -e "$root/.complete" ]; then
    packages="$rust_packages"' clang-14 libclang-common-14-dev
        gcc-12-aarch64-linux-gnu cpp-12-aarch64-linux-gnu binutils-aarch64-linux-gnu libc6-arm64-cross
        libc6-dev-arm64-cross linux-libc-dev-arm64-cross libgcc-s1-arm64-cross libgcc-12-dev-arm64-cross
        gcc-mingw-w64-x86-64-win32 gcc-mingw-w64-x86-64-win32-runtime binutils-mingw-w64-x86-64
        mingw-w64-x86-64-dev mingw-w64-common libz-mingw-w64
        qemu-user wine64 libwine'
    # Runs apt with its own lists and cache. The list of installed packages is only read.
    apt() {
        apt-get -qq -o Dir::State="$work/apt" -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$work/apt" \
            -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)" "$@"
    }
    mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial"
    apt update
    # shellcheck disable=SC2086 # many words
    apt install --download-only --reinstall --no-install-recommends --yes $packages >/dev/null
    rm -rf "$root"
    mkdir -p "$root"
    printf '%s\0' "$work"/apt/archives/*.deb | xargs -0 -P 2 -I {} dpkg -x {} "$root"

    # What the packages' own installation scripts would do, and paths that are not below / here.
    ln -sf aarch64-linux-gnu-gcc-12 "$root/usr/bin/aarch64-linux-gnu-gcc"
    ln -sf x86_64-w64-mingw32-gcc-win32 "$root/usr/bin/x86_64-w64-mingw32-gcc"
    ln -sf clang-14 "$root/usr/bin/clang"
    ln -sf wineserver64 "$root/usr/lib/wine/wineserver"
    sed -i "s, /usr/, $root/usr/,g" "$root/usr/aarch64-linux-gnu/lib/libc.so" "$root/usr/aarch64-linux-gnu/lib/libm.so"
    rm -rf "$work/apt"
    touch "$root/.complete"
fi

tool_libraries=$root/usr/lib/x86_64-linux-gnu
export PATH=$rust_bin:$root/usr/bin:$PATH LD_LIBRARY_PATH=$tool_libraries
# The machine's release of Rust has compiled the part for the host already.
export CARGO_TARGET_DIR=$target_directory
[ -z "$rust_packages" ] || CARGO_TARGET_DIR=$work/build
# Variables of this machine must not change the checks.
unset RUSTC RUSTFLAGS CC CFLAGS CUDA_PATH CUDA_HOME CUDA_ROOT CUDA_TOOLKIT_PATH CUDA_TOOLKIT_ROOT_DIR CUDAToolkit_ROOT
unset CUDA_EXTERNAL_SYS_BINDINGS CUDA_EXTERNAL_SYS_INCLUDE_DIR CUDA_EXTERNAL_SYS_TEST_TARGET
export RUSTC=$rust_bin/rustc

# The emulators as programs without arguments. The emulated program has its own libraries.
cat >"$bin/run-aarch64" <<END
#!/bin/sh
library_path=\$LD_LIBRARY_PATH preload=\$LD_PRELOAD
unset LD_PRELOAD
export LD_LIBRARY_PATH=$tool_libraries
exec qemu-aarch64 -L $root/usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="\$library_path" -E LD_PRELOAD="\$preload" "\$@"
END
cat >"$bin/run-windows" <<END
#!/bin/sh
export LD_LIBRARY_PATH=$tool_libraries WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES=mscoree,mshtml= DISPLAY=
exec $root/usr/lib/wine/wine64 "\$@"
END
chmod +x "$bin"/run-*

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=$bin/run-aarch64
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$bin/run-windows
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
    cp "$root/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$system/"
    "$bin/run-windows" wineboot --init 2>/dev/null || fail 'Wine does not start'
    touch "$work/prefix/.complete"
fi
