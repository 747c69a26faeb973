"""Blender's default scene with an image texture, by Cycles on CUDA and on the CPU."""

import os
import tempfile

import bpy
import numpy


def render(device, path):
    bpy.ops.wm.read_factory_settings()
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    preferences = bpy.context.preferences.addons["cycles"].preferences
    preferences.compute_device_type = "CUDA"
    preferences.get_devices()
    for one in preferences.devices:
        one.use = one.type == "CUDA"
    scene.cycles.device, scene.cycles.samples = device, 4
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 64, 48, 100
    scene.render.image_settings.file_format, scene.render.image_settings.color_depth = "OPEN_EXR", "32"
    scene.render.filepath = path
    image = bpy.data.images.new("grid", 32, 32)
    image.generated_type = "COLOR_GRID"
    tree = bpy.data.objects["Cube"].active_material.node_tree
    texture = tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    tree.links.new(texture.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    bpy.ops.render.render(write_still=True)
    return numpy.array(bpy.data.images.load(path).pixels[:])


with tempfile.TemporaryDirectory() as directory:
    frames = [render(device, os.path.join(directory, f"{device}.exr")) for device in ("GPU", "CPU")]
# A GPU filters textures with fewer digits than the CPU.
assert frames[0].mean() > 0.1 and abs(frames[0] - frames[1]).max() < 1e-3, abs(frames[0] - frames[1]).max()
print("the pixels and the CPU's are equal")
