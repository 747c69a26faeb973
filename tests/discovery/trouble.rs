//! What can be wrong with a file system, and with what is in it.

use crate::drawn::{Drawn, LINUX};

#[test]
fn cuda_h_without_a_version_is_passed_over_where_it_was_searched() {
    let machine = Drawn::up(LINUX);
    machine.file("usr/local/cuda/include/cuda.h", b"#pragma once\n");
    let text = machine.not_found();
    assert!(text.contains("cuda.h does not define CUDA_VERSION"), "{text}");
    machine.header("usr/include", "12.0");
    machine.finds("usr/include", "12.0", "/usr/include");
}

#[test]
fn cuda_h_without_a_version_is_an_error_where_it_was_named() {
    let mut machine = Drawn::up(LINUX);
    machine.file("cuda/include/cuda.h", b"#pragma once\n");
    for (name, value) in [("CUDA_HOME", "cuda"), ("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "cuda/include")] {
        machine.set_to(name, value);
        let text = machine.unusable();
        assert!(text.contains("cuda.h does not define CUDA_VERSION"), "{text}");
    }
}

#[test]
fn cuda_h_that_is_a_folder() {
    let mut machine = Drawn::up(LINUX);
    machine.folder("usr/local/cuda/include/cuda.h");
    let text = machine.not_found();
    assert!(text.contains("cuda.h is not a file"), "{text}");
    machine.set_to("CUDA_HOME", "usr/local/cuda");
    let text = machine.unusable();
    assert!(text.contains("cuda.h is not a file"), "{text}");
}

#[test]
fn a_release_that_is_too_old_is_an_error_wherever_it_is() {
    for (include, by) in [
        ("conda/include", "CONDA_PREFIX"),
        ("usr/local/cuda/include", "/usr/local/cuda"),
        ("usr/include", "/usr/include"),
        ("venv/lib/python3.8/site-packages/nvidia/cuda_runtime/include", "PyPI wheel in VIRTUAL_ENV"),
    ] {
        let mut machine = Drawn::up(LINUX);
        machine.set_to("CONDA_PREFIX", "conda");
        machine.set_to("VIRTUAL_ENV", "venv");
        machine.header(include, "11.6");
        let text = machine.unusable();
        for part in ["CUDA 11.6", "CUDA 11.7", include, by, "CUDA_EXTERNAL_SYS_BINDINGS=embedded"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        machine.header(include, "11.7");
        machine.finds(include, "11.7", by);
    }
}

#[test]
fn a_release_that_is_too_old_is_an_error_where_it_was_named() {
    let mut machine = Drawn::up(LINUX);
    machine.header("old/include", "10.2");
    machine.header("usr/local/cuda/include", "12.0");
    for (name, value) in [("CUDA_HOME", "old"), ("CUDA_EXTERNAL_SYS_INCLUDE_DIR", "old/include")] {
        machine.set_to(name, value);
        let text = machine.unusable();
        assert!(text.contains("CUDA 10.2") && text.contains(&format!("found by {name} ")), "{text}");
    }
}

#[test]
fn a_place_below_a_file() {
    let machine = Drawn::up(LINUX);
    machine.file("usr/local", b"");
    machine.file("opt/cuda/include", b"");
    machine.header("usr/include", "12.0");
    machine.finds("usr/include", "12.0", "/usr/include");
    std::fs::remove_file(machine.at("usr/include/cuda.h")).unwrap();
    let text = machine.not_found();
    assert!(text.contains("/opt/cuda/include not a folder"), "{text}");
    let why = if cfg!(unix) { "Not a directory" } else { "no such folder" };
    assert!(text.contains(&format!("/usr/local/cuda {why}")), "{text}");
}

#[cfg(unix)]
mod on_unix {
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, Permissions};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::path::PathBuf;
    use std::process::Command;

    use super::*;
    use crate::drawn::cuda_h;

    #[test]
    fn a_dangling_link_says_where_it_leads() {
        let mut machine = Drawn::up(LINUX);
        machine.link("usr/local/cuda", "/etc/alternatives/cuda");
        machine.link("etc/alternatives/cuda", "/usr/local/cuda-12.0");
        machine.link("opt/cuda/include", "targets/x86_64-linux/include");
        machine.link("usr/include/cuda.h", "gone.h");
        let text = machine.not_found();
        for part in [
            "/usr/local/cuda a link to /etc/alternatives/cuda, which does not exist",
            "/opt/cuda/include a link to targets/x86_64-linux/include, which does not exist",
            "/usr/include cuda.h is a link to gone.h, which does not exist",
        ] {
            assert!(text.contains(part), "{text}");
        }
        machine.set_to("CUDA_HOME", "usr/local/cuda");
        let text = machine.unusable();
        assert!(
            text.contains("/usr/local/cuda a link to /etc/alternatives/cuda, which does not exist"),
            "{text}"
        );
        machine.unset("CUDA_HOME");
        machine.header("usr/local/cuda-11.8/include", "11.8");
        machine.finds("usr/local/cuda-11.8/include", "11.8", "/usr/local/cuda-11.8");
    }

    #[test]
    fn a_link_to_itself_is_no_endless_search() {
        let mut machine = Drawn::up(LINUX);
        machine.link("usr/local/cuda", "cuda");
        machine.link("opt/cuda/include/cuda.h", "cuda.h");
        machine.link("usr/bin/nvcc", "nvcc");
        machine.set_path(["usr/bin"]);
        let text = machine.not_found();
        assert!(text.contains("/usr/local/cuda Too many levels of symbolic links"), "{text}");
        assert!(text.contains("/opt/cuda/include cuda.h: Too many levels of symbolic links"), "{text}");
        machine.set_to("CUDA_HOME", "usr/local/cuda");
        machine.unusable();
    }

    #[test]
    fn a_cuda_h_that_is_a_device_is_not_read() {
        let mut machine = Drawn::up(LINUX);
        machine.folder("usr/local/cuda/include");
        std::os::unix::fs::symlink("/dev/null", machine.at("usr/local/cuda/include/cuda.h")).unwrap();
        let text = machine.not_found();
        assert!(text.contains("cuda.h is not a file"), "{text}");
        machine.set_to("CUDA_HOME", "usr/local/cuda");
        let text = machine.unusable();
        assert!(text.contains("cuda.h is not a file"), "{text}");
    }

    /// The build script's own folder is nobody's business.
    #[test]
    fn a_folder_of_path_that_is_not_absolute_is_passed_over() {
        let mut machine = Drawn::up(LINUX);
        machine.header("cuda/include", "12.0");
        machine.file("cuda/bin/nvcc", b"");
        let up = "../".repeat(std::env::current_dir().unwrap().components().count());
        let bin = machine.at("cuda/bin");
        let relative = PathBuf::from(up).join(bin.strip_prefix("/").unwrap());
        assert!(relative.join("nvcc").exists());
        machine.set("PATH", relative);
        machine.not_found();
        machine.set("PATH", bin);
        machine.finds("cuda/include", "12.0", "nvcc on PATH");
    }

    /// Root may read everything, so for root the test runs once more, as nobody.
    #[test]
    fn an_unreadable_folder_or_file() {
        let mut machine = Drawn::up(LINUX);
        let closed = |path: &str| {
            machine.header(path, "12.0");
            let folder = machine.at(path.split("/include").next().unwrap());
            fs::set_permissions(&folder, Permissions::from_mode(0o000)).unwrap();
            folder
        };
        let folders = [closed("usr/local/cuda/include"), closed("home/me/cuda/include")];
        if fs::read_dir(&folders[0]).is_ok() {
            open(folders);
            return as_nobody("trouble::on_unix::an_unreadable_folder_or_file");
        }
        machine.header("opt/cuda/include", "12.0");
        let file = machine.at("opt/cuda/include/cuda.h");
        fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
        machine.folder("opt/nvidia/hpc_sdk/Linux_x86_64");
        let sdk = machine.at("opt/nvidia/hpc_sdk/Linux_x86_64");
        fs::set_permissions(&sdk, Permissions::from_mode(0o000)).unwrap();

        let text = machine.not_found();
        machine.set_to("CUDA_HOME", "home/me/cuda");
        let named = machine.unusable();
        machine.unset("CUDA_HOME");
        machine.header("usr/include", "12.1");
        machine.finds("usr/include", "12.1", "/usr/include");
        open(folders);
        open([sdk]);

        for place in [
            "/usr/local/cuda/include Permission denied",
            "/opt/cuda/include cuda.h: Permission denied",
            "/opt/nvidia/hpc_sdk/Linux_x86_64/* Permission denied",
        ] {
            assert!(text.contains(place), "{text}");
        }
        assert!(named.contains("/home/me/cuda/include Permission denied"), "{named}");
    }

    /// So that the temporary folder can be removed.
    fn open<const N: usize>(folders: [PathBuf; N]) {
        for folder in folders {
            fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
        }
    }

    fn as_nobody(test: &str) {
        // By this name nobody may run it in whatever closed folder it lies.
        let itself = if cfg!(target_os = "linux") {
            "/proc/self/exe".into()
        } else {
            std::env::current_exe().unwrap()
        };
        let output = Command::new(itself)
            .args(["--exact", test])
            .env("TMPDIR", "/tmp")
            .current_dir("/")
            .gid(65534)
            .uid(65534)
            .output()
            .expect("root, for whom nothing is unreadable, could not become nobody for this test");
        let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && text.contains("1 passed"), "as nobody: {text}");
    }

    #[test]
    fn paths_that_are_not_utf_8() {
        let name = OsStr::from_bytes(b"caf\xE9 \xFF");
        let mut machine = Drawn::up(LINUX);
        machine.file(PathBuf::from(name).join("include/cuda.h"), &cuda_h("12.2", "\n"));
        machine.file(PathBuf::from(name).join("bin/nvcc"), b"");
        let root = machine.at(name);

        let mut path = root.join("bin").into_os_string();
        path.push(":");
        path.push(OsString::from_vec(b"/\xFE\xFF".to_vec()));
        machine.set("PATH", path);
        assert_eq!(machine.find().unwrap().include, root.join("include"));

        machine.set("CUDA_HOME", &root);
        let found = machine.find().unwrap();
        assert_eq!(found.include, root.join("include"));
        assert_eq!(found.root, Some(root.clone()));

        machine.set("CUDA_EXTERNAL_SYS_INCLUDE_DIR", root.join("include"));
        assert_eq!(machine.find().unwrap().include, root.join("include"));

        machine.set("CUDA_EXTERNAL_SYS_INCLUDE_DIR", root.join("nothing"));
        let text = machine.unusable();
        assert!(text.contains("CUDA_EXTERNAL_SYS_INCLUDE_DIR=/caf\u{FFFD} \u{FFFD}/nothing "), "{text}");
    }

    #[test]
    fn names_that_are_not_utf_8_beside_the_versions() {
        let machine = Drawn::up(LINUX);
        machine.folder(PathBuf::from("usr/local").join(OsStr::from_bytes(b"cuda-13.\xFF")));
        machine.header("usr/local/cuda-12.0/include", "12.0");
        machine.finds("usr/local/cuda-12.0/include", "12.0", "/usr/local/cuda-12.0");
    }

    #[test]
    fn a_very_long_path_is_found() {
        let long = PathBuf::from(["a".repeat(200).as_str(); 17].join("/"));
        let mut machine = Drawn::up(LINUX);
        machine.header(long.join("include"), "12.2");
        machine.set_to("CUDA_HOME", &long);
        assert_eq!(machine.find().unwrap().include, machine.at(long.join("include")));
    }

    #[test]
    fn a_path_longer_than_the_system_allows_is_shown_in_full() {
        let mut machine = Drawn::up(LINUX);
        let long = format!("/{}", ["b".repeat(200).as_str(); 40].join("/"));
        machine.set("CUDA_HOME", &long);
        let text = machine.unusable();
        assert!(text.contains(&format!(" CUDA_HOME={long} ")), "{text}");
        assert!(text.contains("File name too long"), "{text}");
        machine.unset("CUDA_HOME");
        machine.set("CONDA_PREFIX", &long);
        machine.set("PATH", format!("{long}:{long}"));
        machine.header("usr/include", "12.0");
        machine.finds("usr/include", "12.0", "/usr/include");
    }
}
