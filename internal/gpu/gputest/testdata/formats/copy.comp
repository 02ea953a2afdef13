#version 450
#extension GL_EXT_shader_image_load_formatted : require
// Loads of a storage image, and stores to another of the same format.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) readonly uniform TYPEimage2D a;
layout(binding = 1) writeonly uniform TYPEimage2D b;
void main() {
	ivec2 p = ivec2(gl_GlobalInvocationID.xy);
	imageStore(b, p, imageLoad(a, imageSize(a) - 1 - p));
}
