# Sourced by scripts/targets/all: the tests and the examples, run by the emulators.
section 'mock drivers'
include=$target_directory/headers/$(tail -1 tests/headers.txt | cut -d ' ' -f 1)
# This test generates the C sources from the bindings, and leaves them.
quietly cargo test --test calls -- every_function_loaded
sources=$target_directory/mock-driver/x86_64
mkdir -p "$work/driver/aarch64" "$work/driver/windows"
flags="-std=gnu11 -O1 -shared -Wno-deprecated-declarations -I $include"
# shellcheck disable=SC2086 # many words
aarch64-linux-gnu-gcc $flags -fPIC -Wl,-soname,libcuda.so.1 -o "$work/driver/aarch64/libcuda.so.1" "$sources"/*.c
# shellcheck disable=SC2086
x86_64-w64-mingw32-gcc $flags -static -o "$work/driver/windows/nvcuda.dll" "$sources"/*.c
in_wine() { printf 'Z:%s' "$(printf %s "$1" | tr / '\\')"; }

section 'tests: load mode'
ran() { # target, part
    grep -E '^test .*\.\.\. ignored$' "$work/log" || true
    counted "$1" "$2" "$(passed)" 'tests'
}
target=aarch64-unknown-linux-gnu
quietly env CC=aarch64-linux-gnu-gcc timeout 600 cargo test --target $target --test calls --test pure -- --skip linked --skip a_call_sees
ran $target 'load mode'
# What is wrong is found. qemu does not keep the mark that F_SETSIG sets.
quietly timeout 900 cargo test --target $target --package cuda-external-check --test rules -- mistake/ --skip cuda-memory-512-mib
ran $target 'the check'
target=x86_64-pc-windows-gnu
quietly env CUDA_EXTERNAL_SYS_TEST_DRIVER="$(in_wine "$work/driver/windows/nvcuda.dll")" \
    CUDA_EXTERNAL_SYS_REQUIRE=mock-driver,machine-without-driver,wine \
    timeout 600 cargo test --target $target --test calls --test pure
ran $target 'load mode'
quietly timeout 600 cargo test --target $target --package interop --lib
ran $target interop
ignored x86_64-pc-windows-msvc 'load mode' "it needs Microsoft's linker and C library"

section 'tests: link mode'
for target in aarch64-unknown-linux-gnu x86_64-pc-windows-gnu; do
    cc=aarch64-linux-gnu-gcc
    [ $target = aarch64-unknown-linux-gnu ] || cc=x86_64-w64-mingw32-gcc
    quietly env CUDA_EXTERNAL_SYS_TEST_TARGET=$target CC=$cc timeout 600 cargo test --test calls -- linked
    ran $target 'link mode'
done
ignored x86_64-pc-windows-msvc 'link mode' 'as above'

section 'examples'
# The examples print what the machine lacks, which is not a failure.
lacking() { # target, example, text
    quietly cargo run --quiet --profile test --target "$1" --example "$2"
    grep -q "$3" "$work/log" || fail "$1: $2 does not print: $3"
}
for example in d3d12 d3d11 vulkan_win32; do
    lacking x86_64-pc-windows-gnu $example 'nvcuda.dll: LoadLibraryExW failed: .*(os error 126)'
done
counted x86_64-pc-windows-gnu examples 3 'started; there is no GPU, so nothing was shared'
lacking aarch64-unknown-linux-gnu nvsci 'libnvscibuf.so'
counted aarch64-unknown-linux-gnu examples 1 'started; there is no NvSci, so nothing was shared'
