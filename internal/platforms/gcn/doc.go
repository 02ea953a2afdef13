// Package gcn starts programs of AMD GCN: compute kernels the way the HSA runtime does, and the vertex and pixel waves
// of a recorded draw. It decodes nothing: package isa/gcn does; package launch runs grids, and package draw does the
// fixed-function steps between shaders.
//
// # Compute kernels
//
// The input is a code object, arguments and a grid. Waves start with the registers and the memory clang's code expects.
//
//	module, err := gcn.Load(object, nil)
//	m := gcn.NewMemory()
//	x, err := m.Alloc("x", 4000)
//	result, err := gcn.Launch(ctx, gcn.Kernel{
//		Module: module, Name: "scale", Memory: m,
//		Grid: [3]uint32{1024}, Block: [3]uint32{64},
//		Args: []gcn.Arg{gcn.Buf(x), gcn.F32(1.75)},
//	}, launch.Settings{Engine: ref.New()})
//
// # The address space
//
//	0x0_1000_0000   scratch, below 4 GiB: see below
//	0x1_0000_0000   the code object: address a of the file is at 0x1_0000_0000 + a, if there is no free range at a
//	0x2_0000_0000   queue, dispatch packet, kernel arguments, what is printed
//	0x10_0000_0000  buffers, in the order of Alloc, with gaps between them; AllocAt puts them elsewhere, too
//	hi 0x20000000   flat addresses of LDS; hi 0x20000001: of scratch
//
// The aperture words are those of Linux' amdkfd for these chips.
//
// # Where is scratch?
//
// All waves of a launch that have the same number in their groups have their scratch at the same address, but each has
// its own bytes. So addresses do not depend on which groups run in parallel, and no wave can access another's scratch.
// FLAT_SCRATCH_INIT counts from address 0, so scratch is at a low address.
//
// Source: docs/reference/gcn.md 9, which follows LLVM, "User Guide for AMDGPU Backend".
//
// # Draws
//
// Vertex and pixel waves start as the registers of a recorded draw configure them: attributes from the parameters of
// three vertices, colours in the formats of exports. Source: docs/reference/gcn.md 14.
//
// # Images
//
// [Images] interprets image and sampler descriptors (T# and S#): textures in guest memory and how they are sampled.
// Fields and texel layouts are those of docs/reference/gcn.md 8.4. An unsupported or invalid descriptor is an error
// that names the field and its value.
package gcn
