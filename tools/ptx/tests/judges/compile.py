"""Compiles corpus.cu with NVRTC: one file of PTX for each architecture and set of options.

python3 compile.py DIRECTORY, with the wheels nvidia-cuda-nvrtc-cu12, nvidia-cuda-runtime-cu12 and nvidia-cuda-cccl-cu12 installed.
"""
import ctypes, glob, os, sys

import nvidia

root = list(nvidia.__path__)[0]
nvrtc = ctypes.CDLL(glob.glob(f"{root}/cuda_nvrtc/lib/libnvrtc.so.*")[0])
includes = [f"-I{path}" for path in glob.glob(f"{root}/*/include")]
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus.cu")


def compile(options):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    with open(source, "rb") as file:
        assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), file.read(), b"corpus.cu", 0, None, None) == 0
    words = [option.encode() for option in ["-default-device", "-std=c++17", "-device-int128", *includes, *options]]
    code = nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    get = "ProgramLog" if code else "PTX"
    getattr(nvrtc, f"nvrtcGet{get}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{get}")(program, text)
    if code:
        sys.exit(text.value.decode())
    return text.value


os.makedirs(sys.argv[1], exist_ok=True)
for architecture in [75, 80, 90, 100]:
    for name, options in {"plain": [], "fast": ["-use_fast_math"], "debug": ["-G"], "exact": ["-fmad=false"]}.items():
        with open(f"{sys.argv[1]}/{architecture}-{name}.ptx", "wb") as file:
            file.write(compile([f"-arch=compute_{architecture}", *options]))
