# Sourced by scripts/targets/all where Rust is Debian's, which has std for the machine's own target alone. For the others, std
# is built from source and copied to where rustc looks for it.
section 'std'
library=$root/usr/lib/rustlib/src/rust/library
if [ ! -e "$work/std/.complete" ]; then
    rm -rf "$work/std"
    mkdir -p "$work/std/src"
    : >"$work/std/src/lib.rs"
    printf '[package]\nname = "std-for-targets"\nedition = "2024"\n\n[workspace]\n' >"$work/std/Cargo.toml"
    foreign=$targets
    (
        cd "$work/std"
        export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$work/std/target CARGO_PROFILE_DEV_OPT_LEVEL=1
        export CARGO_PROFILE_DEV_DEBUG=0 CARGO_PROFILE_DEV_INCREMENTAL=false
        # shellcheck disable=SC2046,SC2086 # many words
        quietly cargo build -Zbuild-std=std,test $(printf -- '--target %s ' $foreign)
        for target in $foreign; do
            to=$root/usr/lib/rustlib/$target/lib
            rm -rf "$to"
            mkdir -p "$to"
            cp target/"$target"/debug/deps/lib*.rlib "$to"
            # panic_abort needs -Cpanic=abort, which cargo would use for all of std.
            rm "$to"/libpanic_abort-*
            rustc --edition=2024 --crate-name panic_abort --crate-type rlib -Cpanic=abort -O \
                -Zforce-unstable-if-unmarked --target "$target" -o "$to/libpanic_abort.rlib" \
                "$library/panic_abort/src/lib.rs"
        done
        for object in rsbegin rsend; do
            to=$root/usr/lib/rustlib/x86_64-pc-windows-gnu/lib
            rustc --target x86_64-pc-windows-gnu --emit=obj -o "$to/$object.o" "$library/rtstartup/$object.rs"
        done
    )
    rm -rf "$work/std/target"
    touch "$work/std/.complete"
fi
for target in $targets; do
    printf '%-26s %s libraries\n' "$target" "$(find "$root/usr/lib/rustlib/$target/lib" -name 'lib*.rlib' | wc -l)"
done
