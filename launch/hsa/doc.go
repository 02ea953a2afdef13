// Package hsa starts compute kernels of AMD GCN the way the HSA runtime does. Its input is a code object, arguments and
// a grid; it produces waves with the registers and memory that clang's code expects. It decodes nothing: package
// isa/gcn does, and package launch runs the grid.
//
//	module, err := hsa.Load(object, nil)
//	m := hsa.NewMemory()
//	x, err := m.Alloc("x", 4000)
//	result, err := hsa.Launch(ctx, hsa.Kernel{
//		Module: module, Name: "scale", Memory: m,
//		Grid: [3]uint32{1024}, Block: [3]uint32{64},
//		Args: []hsa.Arg{hsa.Buf(x), hsa.F32(1.75)},
//	}, hsa.Config{Engine: ref.New()})
//
// # The address space
//
//	0x0_1000_0000   scratch, below 4 GiB: see below
//	0x1_0000_0000   the code object: address a of the file is at 0x1_0000_0000 + a
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
package hsa
