// Package heddle runs GPU machine code without the GPU: it assembles, disassembles, explains and executes shader
// binaries on any CPU. This package is a short interface to all of it, with defaults wherever possible.
//
// One instruction, run on a state given by register names:
//
//	r, err := heddle.MustFind("gfx803").Eval("v_add_f32 v0, v1, v2", "v1=1.5", "v2=2.25,-3")
//	fmt.Print(r) // v0 is 3.75 in lane 0, -1.5 in lane 1
//
// The same instruction again and again, for test suites, without allocation:
//
//	w, err := heddle.MustFind("gfx803").NewWave("v_add_f32 v0, v1, v2", heddle.State{})
//	w.SetF32("v1", 3, 1.5) // in lane 3
//	err = w.Run()
//	sum := w.F32("v0", 3)
//
// Text and bytes:
//
//	code, err := heddle.MustFind("attila").Assemble("mul o0, i0, i1\nend\n")
//	text := heddle.MustFind("attila").Disassemble(code)
//
// A code object, launched on Go slices, which hold the results afterwards:
//
//	m, err := heddle.Load("saxpy.hsaco")
//	l := heddle.Launch{Grid: [3]uint32{1024}, Block: [3]uint32{64}}
//	result, err := m.Launch(ctx, l, x, y, float32(2), len(x))
//
// A program without a descriptor, of any set that has compute programs, on the caller's bytes themselves:
//
//	p, err := heddle.MustFind("tesla").Program(source, heddle.ProgramOptions{Group: 1040})
//	result, err := p.Launch(ctx, l, heddle.InPlace{Data: in, ReadOnly: true}, heddle.InPlace{Data: out}, int32(n))
//
// The packages below do the work, and can be used directly for what these functions decide for their caller:
// ISA.Target and Module.Object lead there.
//
//	isa, asm     decode, print, parse and lift instructions, from tables; files of assembly
//	exec         waves, and what an engine is; Engine and Reference return engines
//	mem          address spaces, buffers, textures
//	object       code objects and cubins
//	casefile     manifests, cases and scenes
//	codeobj      code objects from the text that compilers write, and back
//	lint         what a program does that hardware does not forgive
//	sanitize     data races and missing waits of a program while it runs
//	profile      what each instruction of a program did while it ran, in exact numbers
//	launch       grids of workgroups; a Kernel, and the Platform of a set that starts it
//	draw         pictures from vertex and fragment programs
//	debug        runs that stop at breakpoints and go back
//	loc srcinfo  the place of an instruction in listings, text and source; variables of the source, from DWARF
//	bits num ir  what these are made of: instruction words, exact arithmetic, the semantics of instructions
//
// # What can be relied on
//
// Stable are heddle, isa, asm, exec, mem, object, casefile and launch, with the packages below them: their exported
// names stay, and keep their meaning. In bits, num and ir, which appear in their signatures, existing names stay, too;
// ops and types are added. The packages of single instruction sets (isa/gcn and the like) promise their Set; the
// tables that it is made from grow. Not yet settled are codeobj, debug, draw, lint, loc, profile, sanitize and
// srcinfo. What is under internal promises nothing.
//
// Texts of errors are for people and may change; their types stay. Errors in text and code are or contain *isa.Error,
// with codes to match on; the fault of a running program is an *exec.Fault.
//
// The command is cmd/heddle. docs/rationale.md explains the design.
package heddle
