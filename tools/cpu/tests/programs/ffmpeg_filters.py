"""FFmpeg's filters on CUDA, each frame beside what its kernel computes, in numpy: libavfilter/vf_*_cuda.cu of 5.1."""
import itertools
import subprocess
import numpy as np

WIDTH, HEIGHT, FRAMES, BATCH = 64, 48, 15, 5
LUMA, CHROMA = (HEIGHT, WIDTH), (HEIGHT // 2, WIDTH // 2)
single = np.float32


def frames(clip, filters, shapes):
    """The frames of a clip behind filters, each as planes."""
    source = f"{clip}=size={WIDTH}x{HEIGHT}:rate=5,trim=end_frame={FRAMES},noise=alls=20:allf=t:all_seed=5"
    command = f"ffmpeg -nostdin -v error -init_hw_device cuda -f lavfi -i {source},format=yuv420p -vf {filters}"
    command += " -fps_mode passthrough -f rawvideo -"
    data = np.frombuffer(subprocess.run(command.split(), stdout=subprocess.PIPE, check=True).stdout, np.uint8)
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    split = (np.split(frame, ends[:-1]) for frame in data.reshape(-1, ends[-1]))
    return [[plane.reshape(shape) for plane, shape in zip(planes, shapes)] for planes in split]


def shifted(plane, right, down):
    """For each place the texel beside it. The edge is repeated."""
    rows, columns = (np.clip(np.arange(size) + by, 0, size - 1) for size, by in zip(plane.shape, (down, right)))
    return plane[rows][:, columns]


def filtered(plane, scale):
    """Linear filtering at whole numbers: the mean of four texels, of which each is so much, as the nearest integer."""
    beside = [shifted(plane.astype(int), right, down) for down in (-1, 0) for right in (-1, 0)]
    return (sum(beside) * scale + 2) // 4


def channels(planes):
    """Luma and both chromas, of three planes or of two."""
    return planes if len(planes) == 3 else [planes[0], planes[1][..., 0], planes[1][..., 1]]


def thumbnail(batch):
    """The frame whose histogram is the nearest to the mean of all."""
    counts = lambda plane: np.bincount(filtered(plane, 1).ravel(), minlength=256)
    histograms = np.array([np.outer((1, 4, 4), np.ones(256)) * [*map(counts, channels(planes))] for planes in batch])
    return batch[np.argmin(((histograms.mean(0) - histograms) ** 2).sum((1, 2)))]


def chromakey(planes, key, similarity, blend):
    """The planes as they are read, and an alpha by the mean distance of up to nine texels of chroma from the key."""
    y, u, v = (single(filtered(plane, 257) / 65535) for plane in channels(planes))
    # The compiler has made one operation of a product and a sum.
    du, dv = (single(plane.astype(float) * 255 - number) for plane, number in zip((u, v), key))
    distance = np.sqrt((du**2 + dv**2) / single(255 * 255 * 2))
    beside = [(right, down) for right in (-1, 0, 1) for down in (-1, 0, 1)]
    at = lambda plane, right, down: np.pad(plane, 1)[1 + down :, 1 + right :][: plane.shape[0], : plane.shape[1]]
    difference = sum(at(distance, *by) for by in beside) / sum(at(np.ones_like(u), *by) for by in beside)
    hard = np.where(difference < single(similarity), 0, 255)
    alpha = np.clip((difference - single(similarity)) / single(blend), 0, 1) * single(255) if blend else hard
    alpha = alpha.repeat(2, 0).repeat(2, 1)
    return [plane.astype(np.uint8) for plane in (*(plane * single(255) for plane in (y, u, v)), alpha)]


def yadif(before, now, after, second):
    """One field of `now` as it is, and the other one by the neighbors in space and in time."""
    before, now, after = (plane.astype(int) for plane in (before, now, after))
    above, below = ([shifted(now, right, down) for right in range(-3, 4)] for down in (-1, 1))
    score_of = lambda skew: sum(abs(above[at + skew] - below[at - skew]) for at in (2, 3, 4))
    score, predicted = score_of(0), (above[3] + below[3]) // 2
    for side in -1, 1:
        better = True
        for skew in side, 2 * side:
            better &= score_of(skew) < score
            score = np.where(better, score_of(skew), score)
            predicted = np.where(better, (above[3 + skew] + below[3 - skew]) // 2, predicted)
    earlier, later = (now, after) if second else (before, now)
    p0, p2, p4 = ((shifted(earlier, 0, down) + shifted(later, 0, down)) // 2 for down in (-2, 0, 2))
    p1, p3 = above[3], below[3]
    changes = [sum(abs(shifted(other - now, 0, down)) for down in (-1, 1)) // 2 for other in (before, after)]
    most = np.maximum.reduce([p2 - p3, p2 - p1, np.minimum(p0 - p1, p4 - p3)])
    least = np.minimum.reduce([p2 - p3, p2 - p1, np.maximum(p0 - p1, p4 - p3)])
    change = np.maximum.reduce([abs(earlier - later), *changes, least, -most])
    result = np.clip(predicted, p2 - change, p2 + change)
    result[int(second) :: 2] = now[int(second) :: 2]
    return result


def rows(sources):
    """Arguments of FFmpeg, and the frames that they have to give."""
    yield f"thumbnail_cuda={BATCH}", [thumbnail(sources[first : first + BATCH]) for first in range(0, FRAMES, BATCH)]
    for key, similarity, blend in ((0x90, 0x60), 0.2, 0.1), ((0x40, 0xA0), 0.12, 0):
        arguments = f"0x00{key[0]:02x}{key[1]:02x}:{similarity}:{blend}:1"
        yield f"chromakey_cuda={arguments}", [chromakey(source, key, similarity, blend) for source in sources]
    around = zip([sources[0], *sources], sources, [*sources[1:], sources[-1]])
    yield "yadif_cuda=1", [[*map(yadif, *three, [second] * 3)] for three in around for second in (False, True)]


total, differ = 0, []
layouts = ("yuv420p", [LUMA, CHROMA, CHROMA]), ("nv12", [LUMA, (*CHROMA, 2)])
for (layout, shapes), clip in itertools.product(layouts, ("testsrc2", "testsrc", "mandelbrot")):
    for name, expected in rows(frames(clip, f"format={layout}", shapes)):
        to, of = ("yuva420p", [LUMA, CHROMA, CHROMA, LUMA]) if "key" in name else (layout, shapes)
        by_cuda = frames(clip, f"format={layout},hwupload,{name},hwdownload,format={to}", of)
        for frame, by_numpy in zip(by_cuda, expected, strict=True):
            total += 1
            if not all(map(np.array_equal, frame, by_numpy)):
                differ.append(f"{name} of {clip} as {layout}")
result = f"Error: {len(differ)} of {total} frames differ: {sorted(set(differ))}"
print(result if differ else f"{total} frames are equal")
