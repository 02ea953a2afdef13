// Package gputest runs unmodified programs on the GPU that heddle stands for: vulkaninfo and clinfo, clients of
// Vulkan's compute shaders and of OpenCL's kernels, whose results are compared with those of drivers for processors
// (Mesa's lavapipe, PoCL), and hostile clients. It has tests only.
package gputest
