# Kernels of Taichi, which are PTX by its own LLVM: a fluid of particles (atomics, matrices), a sparse field, a singular value
# decomposition. The judge is the same on Taichi's CPU. At the end Vulkan draws where the particles are.
import numpy as np
import taichi as ti

PARTICLES, CELLS, STEP, STIFFNESS = 512, 32, 2e-4, 400


def run(arch):
    ti.init(arch=arch, log_level=ti.ERROR)
    x, v = (ti.Vector.field(2, ti.f32, PARTICLES) for _ in range(2))
    affine, volume = ti.Matrix.field(2, 2, ti.f32, PARTICLES), ti.field(ti.f32, PARTICLES)
    momentum, mass = ti.Vector.field(2, ti.f32, (CELLS, CELLS)), ti.field(ti.f32, (CELLS, CELLS))
    sparse, active = ti.field(ti.i32), ti.field(ti.i32, ())
    ti.root.pointer(ti.i, 32).dense(ti.i, 32).place(sparse)
    singular = ti.Vector.field(3, ti.f32, 64)

    @ti.kernel
    def start():
        for i in x:
            x[i], v[i], volume[i] = [0.2 + i % 32 / 80, 0.2 + i // 32 / 40], [0, -1], 1
            if i % 97 < 3:
                sparse[i] = i
        for i in singular:
            _, s, _ = ti.svd(ti.Matrix([[i + 1.0, 2, 0.5], [2, i * 0.5 + 3, 1], [0.5, 1, 7]]))
            singular[i] = [s[0, 0], s[1, 1], s[2, 2]]

    @ti.kernel
    def count():
        for _ in sparse:
            active[None] += 1

    @ti.func
    def weights(p):
        cell = int(x[p] * CELLS - 0.5)
        f = x[p] * CELLS - cell
        return cell, f, ti.Matrix.cols([0.5 * (1.5 - f) ** 2, 0.75 - (f - 1) ** 2, 0.5 * (f - 0.5) ** 2])

    @ti.kernel
    def move():
        for i in ti.grouped(mass):
            momentum[i], mass[i] = [0, 0], 0
        for p in x:
            cell, f, w = weights(p)
            stress = -STEP * STIFFNESS * (volume[p] - 1) * ti.Matrix.identity(ti.f32, 2) + affine[p]
            for i, j in ti.static(ti.ndrange(3, 3)):
                momentum[cell + [i, j]] += w[0, i] * w[1, j] * (v[p] + stress @ (([i, j] - f) / CELLS))
                mass[cell + [i, j]] += w[0, i] * w[1, j]
        for i in ti.grouped(mass):
            if mass[i] > 0:
                momentum[i] /= mass[i]
            momentum[i].y = 0.0 if i.y < 3 else momentum[i].y - STEP * 9.8
        for p in x:
            cell, f, w = weights(p)
            velocity, gradient = ti.Vector([0.0, 0.0]), ti.Matrix.zero(ti.f32, 2, 2)
            for i, j in ti.static(ti.ndrange(3, 3)):
                velocity += w[0, i] * w[1, j] * momentum[cell + [i, j]]
                gradient += 4 * CELLS * w[0, i] * w[1, j] * momentum[cell + [i, j]].outer_product([i, j] - f)
            v[p], affine[p] = velocity, gradient
            x[p] += STEP * velocity
            volume[p] *= 1 + STEP * gradient.trace()

    start()
    count()
    for _ in range(50):
        move()
    window = ti.ui.Window("", (256, 256), show_window=False)
    window.get_canvas().circles(x, radius=0.004)
    fields = (x, v, volume, mass, sparse, active, singular)
    return [*(field.to_numpy() for field in fields), window.get_image_buffer_as_numpy()]


ours, theirs = run(ti.cuda), run(ti.cpu)
assert ti.cfg.arch == ti.cpu and np.ptp(ours[-1][..., 0]) > 0.4
equal = sum(np.isclose(one, other, rtol=1e-4, atol=1e-5).sum() for one, other in zip(ours, theirs))
print(f"{equal} of {sum(map(np.size, theirs))} numbers are equal")
