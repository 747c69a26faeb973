"""GStreamer uploads frames to CUDA's memory, and a second process opens the memory by IPC: the frames are the same."""
import os
import subprocess
import time

# The pitch of memory that is copied to the host is 512 bytes.
CLIP = "videotestsrc pattern=ball num-buffers={} ! video/x-raw,format=NV12,width=512,height=64,framerate=10/1"
SIZE, COUNT = 512 * 64 * 3 // 2, 10


def start(pipeline):
    return subprocess.Popen(["gst-launch-1.0", "-q", *pipeline.split()])


def frames(path):
    with open(path, "rb") as file:
        return [*iter(lambda: file.read(SIZE), b"")]


assert start(f"{CLIP.format(600)} ! filesink location=rendered.raw").wait() == 0
if os.path.exists("gst.socket"):
    os.remove("gst.socket")
sink = start(f"{CLIP.format(600).replace('ball', 'ball is-live=true')} ! cudaupload ! cudaipcsink address=gst.socket")
while not os.path.exists("gst.socket"):
    assert sink.poll() is None
    time.sleep(0.1)
source = start(f"cudaipcsrc address=gst.socket num-buffers={COUNT} ! cudadownload ! filesink location=received.raw")
assert source.wait() == 0
sink.terminate()
sink.wait()
rendered, received = frames("rendered.raw"), frames("received.raw")
places = [rendered.index(frame) if frame in rendered else -1 for frame in received]
in_order = -1 not in places and places == sorted(set(places))
print(f"{COUNT} frames are equal" if in_order and len(places) == COUNT else f"Error: frames {places}")
