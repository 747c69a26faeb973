#version 450
layout(set = 0, binding = 2) uniform sampler2D image;
layout(location = 0) out vec4 color;
void main() { color = texture(image, vec2(0)); }
