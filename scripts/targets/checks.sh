# Sourced by scripts/targets/all: the checks that need no emulator, of layouts and lints. That the embedded bindings are those of
# every target, the test program `generated` checks on any machine.

section 'layouts: every number of rustc and of the C compiler, for every release'
for target in $targets; do
    case $target in
    aarch64-unknown-linux-gnu) cc=aarch64-linux-gnu-gcc flags= ;;
    *windows-gnu) cc=x86_64-w64-mingw32-gcc flags= ;;
    # clang stands in for Microsoft's compiler, whose ABI it has. The header needs no C library.
    *) cc=clang flags="--target=$target -nostdinc -isystem $repository/build/include" ;;
    esac
    quietly env CUDA_EXTERNAL_SYS_TEST_TARGET="$target" CC="$cc" CFLAGS="$flags" cargo test --workspace --test bindings -- every_release::generated_from
    [ "$(passed)" = "$(wc -l <tests/headers.txt)" ] || fail "$target: not every release was compared"
    numbers=$(grep -Eo '[0-9]+ numbers$' "$work/log" | awk '{ sum += $1 } END { print sum + 0 }')
    counted "$target" layouts "$numbers" 'numbers'
done

section 'lints: every feature set'
lint() { # target, arguments
    cargo clippy --profile test --target "$1" \
        --message-format json-render-diagnostics "${@:2}" -- -D warnings
}
for target in $targets; do
    # The check's layer is built for Linux alone. Elsewhere the program reports that it has no layer.
    every=(--all-targets --package cuda-external-sys --package interop --package tests --package benches --package cuda-external-check)
    some=(--all-targets --package cuda-external-sys --package tests)
    # No condition of ours tells the two compilers of Windows apart.
    if [ "$target" = x86_64-pc-windows-msvc ]; then
        every=(--lib --package cuda-external-sys)
        some=("${every[@]}")
    fi
    quietly lint "$target" "${every[@]}"
    # Every library, example, test and benchmark of the packages.
    ours=$(grep '"reason":"compiler-artifact","package_id":"path+' "$work/log" | grep -vc '"custom-build"')
    counted "$target" lints "$ours" 'programs and libraries'
    # Both modes together are as `load`.
    for features in '' link; do
        quietly lint "$target" "${some[@]}" --no-default-features --features "$features"
    done
done

section 'elsewhere: the crate type-checks where no driver is opened'
check() { # target, features
    CUDA_EXTERNAL_SYS_BINDINGS=embedded \
        cargo clippy --target "$1" -p cuda-external-sys --no-default-features --features "$2" -- -D warnings
}
for target in $elsewhere; do
    quietly check "$target" load
    counted "$target" elsewhere 1 'crate, load mode'
done
for target in $without_std; do
    quietly check "$target" ''
    counted "$target" no_std 1 'crate, types alone'
done
