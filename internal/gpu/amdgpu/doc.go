// Package amdgpu is an AMD GPU of gfx6, gfx7 or gfx8 as the amdgpu driver of Linux shows it to programs: it answers the
// requests of libdrm's amdgpu_drm.h and executes what is submitted, on the memory that it shares with programs.
//
// Command streams are executed by package cp; dispatches become launches of package launch, whose code is the machine
// code that the program's driver has compiled. Draws are not built yet: an error names the packet.
//
// ROCm's runtime uses a second node, /dev/kfd, on which programs write packets into queues in memory; their dispatches
// run in the same way.
//
// Each context of a program has a queue for each ring that it uses. Queues run beside the programs and beside each
// other. A fault, a command that is not built or a time limit ends the submission: it is reported, the context is lost
// as after a reset of a real GPU, and the program goes on.
package amdgpu
