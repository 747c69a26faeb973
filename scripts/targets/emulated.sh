# Sourced by scripts/targets/all: the tests and the examples, run by the emulators.
section 'mock drivers'
# It leaves the C sources, which it generates from the bindings.
quietly scripts/mock-nvcuda "$work/driver/windows/nvcuda.dll"
mkdir -p "$work/driver/aarch64"
aarch64-linux-gnu-gcc -std=gnu11 -O1 -shared -fPIC -Wno-deprecated-declarations -Wl,-soname,libcuda.so.1 \
    -I "$target_directory/headers/$(tail -1 tests/headers.txt | cut -d ' ' -f 1)" \
    -o "$work/driver/aarch64/libcuda.so.1" "$target_directory/mock-driver/x86_64"/*.c
in_wine() { printf 'Z:%s' "$(printf %s "$1" | tr / '\\')"; }

section 'tests: load mode'
ran() { # target, part
    grep -E '^test .*\.\.\. ignored$' "$work/log" || true
    counted "$1" "$2" "$(passed)" 'tests'
}
target=aarch64-unknown-linux-gnu
quietly env CC=aarch64-linux-gnu-gcc timeout 600 cargo test --target $target --test calls --test pure -- --skip linked --skip a_call_sees
ran $target 'load mode'
# The rules are the same code: what differs is how it stands before the driver, and its stacks. qemu does not keep the mark that
# F_SETSIG sets.
quietly timeout 900 cargo test --target $target --package cuda-external-check --test rules -- mistake/handle-
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
