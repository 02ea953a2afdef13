// Package gputest runs unmodified programs on the GPU that heddle stands for: Vulkan's vulkaninfo, a client of compute
// shaders, whose results are compared with those of Mesa's processor driver, and hostile clients. It has tests only.
package gputest
