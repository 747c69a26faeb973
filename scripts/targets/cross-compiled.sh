# Sourced by scripts/targets/all. Cross-compiles a program that depends on the crate, as a user does: with a toolkit that has
# several targets, with a header alone, and with neither.
section 'cross-compiling'
user=$work/user
mkdir -p "$user/src"
cat >"$user/Cargo.toml" <<END
[package]
name = "user"
edition = "2024"

[features]
default = ["load"]
load = ["cuda-external-sys/load"]
link = ["cuda-external-sys/link"]

[dependencies]
cuda-external-sys = { path = "$repository", default-features = false, features = ["bindgen"] }

[workspace]
END
cat >"$user/build.rs" <<'END'
fn main() {
    let include = std::env::var("DEP_CUDA_EXTERNAL_INCLUDE").unwrap_or("nowhere".into());
    println!("cargo::rustc-env=INCLUDE={include}");
}
END
cat >"$user/src/main.rs" <<'END'
use cuda_external_sys::*;

fn main() {
    println!("{BINDINGS:?} {CUDA_VERSION} from {}: {BINDINGS_SOURCE}", env!("INCLUDE"));
    let mut version = 0;
    println!("cuDriverGetVersion {:?} {version}", unsafe { cuDriverGetVersion(&mut version) });
}
END
cp Cargo.lock "$user/Cargo.lock"

# A toolkit with NVIDIA's directories. Each has another release, so that the version shows which one was used.
toolkit=$work/toolkit
rm -rf "$toolkit"
lay() { # release, directory
    mkdir -p "$2"
    cp "$target_directory/headers/$1/cuda.h" "$2/"
}
lay 12.8 "$toolkit/linux/include"
lay 13.3 "$toolkit/linux/targets/x86_64-linux/include"
lay 13.4 "$toolkit/linux/targets/sbsa-linux/include"
lay 12.9 "$toolkit/linux/targets/aarch64-linux/include"
lay 13.2 "$toolkit/windows/include"

programs=0
# Builds and runs the program with these variables, and looks for a text in its output.
cross() { # target, text, variables...
    local target=$1 text=$2
    shift 2
    # shellcheck disable=SC2086 # no word, or two
    (cd "$user" && quietly env CARGO_TARGET_DIR="$user/target" "$@" cargo run --target "$target" ${link:-})
    grep -q "$text" "$work/log" || {
        cat "$work/log"
        fail "$target: $* does not print: $text"
    }
    programs=$((programs + 1))
}
for target in aarch64-unknown-linux-gnu x86_64-pc-windows-gnu; do
    programs=0
    if [ $target = aarch64-unknown-linux-gnu ]; then
        cross $target "Generated 13040 from $toolkit/linux/targets/sbsa-linux/include" CUDA_HOME="$toolkit/linux"
    else
        cross $target "Generated 13020 from $toolkit/windows/include" CUDA_PATH="$toolkit/windows"
    fi
    cross $target "Generated 12060 from $target_directory/headers/12.6" \
        CUDA_EXTERNAL_SYS_INCLUDE_DIR="$target_directory/headers/12.6"
    cross $target "Embedded $(sed -n 's/^pub const CUDA_VERSION: u32 = \(.*\);/\1/p' "$repository/src/bindings/embedded.rs") from nowhere: embedded: no toolkit was found"
    # Without a driver the call returns an error code. In link mode the driver answers.
    grep -q 'cuDriverGetVersion CUDA_ERROR_SHARED_OBJECT_INIT_FAILED 0' "$work/log" || fail "$target: a driver?"
    if [ $target = aarch64-unknown-linux-gnu ]; then
        link='--no-default-features --features link' cross $target 'cuDriverGetVersion CUDA_SUCCESS' LD_LIBRARY_PATH="$work/driver/aarch64"
    else
        mkdir -p "$user/target/$target/debug"
        cp "$work/driver/windows/nvcuda.dll" "$user/target/$target/debug/"
        link='--no-default-features --features link' cross $target 'cuDriverGetVersion CUDA_SUCCESS'
        rm "$user/target/$target/debug/nvcuda.dll"
    fi
    counted $target cross "$programs" 'programs'
done
# cuda.h is the same file everywhere, so the include directory of a toolkit for Linux serves Windows too.
cross x86_64-pc-windows-gnu "Generated 12080 from $toolkit/linux/include" CUDA_HOME="$toolkit/linux"
(cd "$user" && quietly env CARGO_TARGET_DIR="$user/target" CUDA_PATH="$toolkit/windows" cargo check --target x86_64-pc-windows-msvc)
counted x86_64-pc-windows-msvc cross 1 'program type-checked, not linked'
