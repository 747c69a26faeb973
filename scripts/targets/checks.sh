# Sourced by scripts/targets/all: the checks that need no emulator, of bindings, layouts and lints.
newest=$(tail -1 tests/headers.txt | cut -d ' ' -f 1)

section 'bindings: generated for each target, and compared with those that come with the crate'
quietly cargo test --test generated -- embedded
[ "$(passed)" = 1 ] || fail 'the embedded bindings were not compared'
for target in $targets; do
    counted "$target" bindings "$(grep -c 'pub fn' src/bindings/embedded.rs)" 'functions'
done

section 'layouts: every number of rustc and of the C compiler, for every release'
for target in $targets; do
    case $target in
    aarch64-unknown-linux-gnu) cc=aarch64-linux-gnu-gcc flags= ;;
    *windows-gnu) cc=x86_64-w64-mingw32-gcc flags= ;;
    # clang stands in for Microsoft's compiler, whose ABI it has. The header needs no C library.
    *) cc=clang flags="--target=$target -nostdinc -isystem $repository/build/include" ;;
    esac
    quietly env CUDA_EXTERNAL_SYS_TEST_TARGET="$target" CC="$cc" CFLAGS="$flags" cargo test --test bindings -- every_release::generated_from
    [ "$(passed)" = "$(wc -l <tests/headers.txt)" ] || fail "$target: not every release was compared"
    numbers=$(grep -Eo '[0-9]+ numbers$' "$work/log" | awk '{ sum += $1 } END { print sum + 0 }')
    counted "$target" layouts "$numbers" 'numbers'
done

section 'lints: every feature set'
for target in $targets; do
    units=0
    # The default features differ from these by the build script alone, which is the host's.
    for feature_set in '--no-default-features' '--no-default-features --features load' \
        '--no-default-features --features link' '--all-features'; do
        # shellcheck disable=SC2086 # several words
        quietly env CUDA_EXTERNAL_SYS_BINDINGS=embedded \
            cargo clippy --target "$target" --package cuda-external-sys --package interop --package tests --package benches --all-targets \
                $feature_set --message-format json-render-diagnostics -- -D warnings
        # Every library, example, test and benchmark of the packages.
        ours=$(grep '"reason":"compiler-artifact","package_id":"path+' "$work/log" | grep -vc '"custom-build"')
        units=$((units + ours))
    done
    # Its layer is built for Linux alone. Elsewhere the program reports that there is none.
    quietly env CUDA_EXTERNAL_SYS_BINDINGS=embedded \
        cargo clippy --target "$target" --package cuda-external-check --all-targets -- -D warnings
    units=$((units + 4))
    counted "$target" lints "$units" 'programs and libraries'
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
