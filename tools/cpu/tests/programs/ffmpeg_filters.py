"""FFmpeg's filters on CUDA: the frames have the MD5 that an H100 gave them (FFmpeg 5.1.9, driver 580.159.04)."""
import hashlib
import subprocess

# The clip's size and format, the filter, the format and the MD5 of the frames.
ANSWERS = """
64x48 yuv420p thumbnail_cuda=5 yuv420p 9b2476f541909fa4c4c46301e85ba12f
64x48 yuv420p yadif_cuda=1 yuv420p 43cb61ab3bb1dc65a051b661b0708a36
64x48 yuv420p chromakey_cuda=0x409060:0.2:0.1 yuva420p 20b625c4cf1cc42ba23473f595ae2b92
64x48 yuv420p chromakey_cuda=0x8040A0:0.12:0:yuv=1 yuva420p e458cc852eef0c9a0bbb3b5f2f9af0a1
70x50 nv12 thumbnail_cuda=5 nv12 30124558c93ac465ab1ee4ae52ee4269
70x50 nv12 yadif_cuda=1 nv12 af8e769775a356c5576a8adac9d20a40
70x50 nv12 chromakey_cuda=0x409060:0.2:0.1 yuva420p 51fb1f4d1751ae7cd1a1aeb89dec4cf1
70x50 nv12 chromakey_cuda=0x8040A0:0.12:0:yuv=1 yuva420p a6b11bf6a4ee8c4e9a356747b30b6b1d
70x50 yuv420p scale_cuda=160:122:interp_algo=nearest yuv420p af5c04ef9438df2e5b1d9aea44b23e36
70x50 p010 scale_cuda=160:122:interp_algo=nearest p010 780fbb02f05a033feedf579566815f22
70x50 yuv444p16 scale_cuda=160:122:interp_algo=nearest yuv444p16 89f74b8adb46f39d4781a4a195086f2c
70x50 yuv420p scale_cuda=160:122:interp_algo=bilinear yuv420p e637095933f4d03aabcc5de918e92804
70x50 p010 scale_cuda=160:122:interp_algo=bilinear p010 29e49ac49e6ecca033535559b580b526
70x50 yuv444p16 scale_cuda=160:122:interp_algo=bilinear yuv444p16 f857ffc6b4f3da485650fa4f3bf6f8a7
70x50 yuv420p scale_cuda=160:122:interp_algo=bicubic yuv420p 052fe1a10bc1f3f9aae9f7e0bab972e4
70x50 p010 scale_cuda=160:122:interp_algo=bicubic p010 edbefa47e702ee1bafa783455f439d07
70x50 yuv444p16 scale_cuda=160:122:interp_algo=bicubic yuv444p16 4bcdd0e04dd9e482a71c20ba9fa65bb4
"""
differ, rows = [], [row.split() for row in ANSWERS.splitlines() if row]
for size, layout, name, result, expected in rows:
    clip = f"testsrc2=size={size}:rate=5,trim=end_frame=20,noise=alls=20:allf=t:all_seed=5,format=yuv420p"
    count = 3 if name.startswith("scale") else 20
    graph = f"trim=end_frame={count},format={layout},hwupload,{name},hwdownload,format={result}"
    command = ["ffmpeg", "-nostdin", "-v", "error", "-init_hw_device", "cuda", "-f", "lavfi", "-i", clip, "-vf", graph]
    command += ["-fps_mode", "passthrough", "-f", "rawvideo", "-"]
    frames = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    if hashlib.md5(frames).hexdigest() != expected:
        differ.append(f"{name} of {size} as {layout}")
print(f"Error: {differ}" if differ else f"the frames of {len(rows)} runs and an H100's are equal")
