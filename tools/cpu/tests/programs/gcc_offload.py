"""Compiles and runs tests of GCC's libgomp as their comments say: gcc_offload.py OPTION FILE... Each judges itself."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

option, *files = sys.argv[1:]
NVIDIA = "{ target openacc_nvidia_accel_selected }"
COMPILE = ["gcc-12", "-O2", "-w", option, "-foffload=nvptx-none", "-DACC_DEVICE_TYPE_nvidia=1", "-DACC_MEM_SHARED=0"]
# Tests are left out that require a feature, that only compile or link, or that are expected to fail.
LEFT_OUT = re.compile(r"dg-(require|xfail-run-if|do +(link|compile|run *{ *target(?! openacc_nvidia_accel_selected)))")


def outcome(name, directory):
    text = pathlib.Path(name).read_text(errors="replace")
    if LEFT_OUT.search(text):
        return "left out"
    options = re.findall(r'dg-additional-options "([^"]*)" *({ *target [^}]*})?', text)
    options = " ".join(words for words, target in options if target in ("", NVIDIA)).split()
    variables = dict(re.findall(r'dg-set-target-env-var "?(\w+)"? "(.*?)"', text))
    program = os.path.join(directory, os.path.basename(name))
    include = [f"-I{parent}/include" for parent in pathlib.Path(name).parents if (parent / "include").is_dir()]
    command = [*COMPILE, *include, *options, name, "-o", program, "-lm"]
    if subprocess.run(command, capture_output=True, cwd=directory).returncode:
        return "left out"
    try:
        done = subprocess.run([program], capture_output=True, timeout=120, env={**os.environ, **variables})
    except subprocess.TimeoutExpired:
        return "failed"
    should_fail = re.search(r'dg-shouldfail "[^"]*" *(}|{ openacc_nvidia)', text) is not None
    return "passed" if (done.returncode != 0) == should_fail else "failed"


with tempfile.TemporaryDirectory() as directory, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    outcomes = list(pool.map(lambda name: outcome(name, directory), map(os.path.abspath, files)))
for name, result in zip(files, outcomes):
    if result != "passed":
        print(f"{os.path.basename(name)}: {result}")
print(f"{outcomes.count('passed')} passed, {outcomes.count('failed')} failed")
