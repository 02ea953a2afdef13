package heddle_test

import (
	"context"
	"fmt"
	"log"

	"github.com/heddle-gpu/heddle"
)

func ExampleISA_Eval() {
	gcn := heddle.MustFind("gfx803")
	r, err := gcn.Eval("v_fma_f32 v0, v1, v2, 1.0", "v1=1.5", "v2=2.25,-3,inf")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r)
	// Output:
	//     v_fma_f32 v0, v1, v2, 1.0
	// v0  lane 0  0x408c0000  f32  4.375
	//     lane 1  0xc0600000  f32  -3.5
	//     lane 2  0x7f800000  f32  +Inf
}

func ExampleModule_Launch() {
	m, err := heddle.Load("cases/kernels/gcn/saxpy/saxpy.gfx803.hsaco")
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float32{1, 2, 3, 4}, []float32{0.5, 0.5, 0.5, 0.5}
	l := heddle.Launch{Grid: [3]uint32{64}, Block: [3]uint32{64}}
	_, err = m.Launch(context.Background(), l, x, y, float32(10), len(x)) // y = 10 x + y
	fmt.Println(y, err)
	// Output:
	// [10.5 20.5 30.5 40.5] <nil>
}

func ExampleFind() {
	fiji, err := heddle.Find("Fiji")
	fmt.Println(fiji, err)
	_, err = heddle.Find("gfx903")
	fmt.Println(err)
	// Output:
	// gcn:gfx8 <nil>
	// gfx903 is GCN 5: not one of heddle's generations; the nearest is gcn:gfx8
}

// Any bytes can be listed, and the listing assembles to them. All errors of a text are returned at once.
func ExampleISA_Assemble() {
	gcn := heddle.MustFind("gcn:gfx8")
	code, err := gcn.Assemble(`
		s_cmp_eq_u32 s0, 0
		s_cbranch_scc1 done
		v_add_f32 v0, v1, v2
	done:	s_endpgm`)
	fmt.Printf("%x %v\n", code, err)
	fmt.Print(gcn.Disassemble(code))
	text, size, err := gcn.Decode(code[8:])
	fmt.Println(text, size, err)
	_, err = gcn.Assemble("v_add_f33 v0, v1, v2\nv_add_f32 v0, v1")
	fmt.Println(err)
	// Output:
	// 008006bf010085bf01050002000081bf <nil>
	// .isa gcn:gfx8
	// .exact // what breaks rules is kept as it is
	// 	s_cmp_eq_u32 s0, 0
	// 	s_cbranch_scc1 L_c
	// 	v_add_f32_e32 v0, v1, v2
	// L_c:
	// 	s_endpgm
	// v_add_f32_e32 v0, v1, v2 4 <nil>
	// <text>:1:1: error: no instruction "v_add_f33" in gcn [mnemonic]
	//     v_add_f33 v0, v1, v2
	//     ^
	//     did you mean "v_add_f32"?
	// <text>:2:17: error: v_add_f32_e32: too few operands, want 3 [operand]
	//     v_add_f32 v0, v1
	//                     ^
}

func ExampleISA_Explain() {
	p, err := heddle.MustFind("gfx803").Explain("v_add_f32 v0, -v1, v2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Parts[0].Doc, p.Fidelity)
	for _, o := range p.Parts[0].Operands {
		fmt.Printf("%s: %q, %d\n", o.Name, o.Text, o.Value)
	}
	fmt.Print(p.Meaning) // p itself prints all of it, with the bits
	// Output:
	// a + b. exact
	// vdst: "v0", 0
	// src0: "-v1", 257
	// src1: "v2", 258
	// clamp: "", 0
	// omod: "", 0
	//   %0 = get.i32 v[1]
	//   %1 = cast.f32 %0
	//   %2 = fneg.f32 %1
	//   %3 = get.i32 v[2]
	//   %4 = cast.f32 %3
	//   %5 = fadd.f32 %2, %4 {rne daz ftz ieee dx10clamp}
	//   %6 = get.i1 exec
	//   %7 = cast.i32 %5
	//   set v[0], %7, %6
}

// A state in bit patterns, with memory, as in the test of an emulator.
func ExampleISA_Run() {
	gcn := heddle.MustFind("gfx803")
	r, err := gcn.Run(context.Background(), "flat_load_dword v2, v[0:1]; v_add_u32 v2, vcc, v2, v3; flat_store_dword v[0:1], v2", heddle.State{
		Regs:   map[string][]uint64{"v[0:1]": {0x1000, 0x1004}, "v3": {1}, "exec": {3}},
		Global: []heddle.Region{{Addr: 0x1000, Data: []byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range r.Changed {
		fmt.Printf("%s was %#x, is %#x\n", c.Name, c.Was[0], c.Now[0])
	}
	for _, w := range r.Memory {
		fmt.Printf("%#x: %x, was %x\n", w.Addr, w.Now, w.Was)
	}
	v3, err := r.Reg("v3")
	fmt.Println(v3.Int(1), err)
	// Output:
	// v2 was 0x0, is 0x2
	// vcc was 0x0, is 0x2
	// 0x1000: 0200000000000000, was 01000000ffffffff
	// 1 <nil>
}

// One instruction again and again, as in the test suite of a compiler or an emulator; after the first run nothing is
// allocated.
func ExampleISA_NewWave() {
	w, err := heddle.MustFind("gfx803").NewWave("v_fma_f32 v0, v1, v2, 1.0", heddle.State{})
	for i := 0; i < 3 && err == nil; i++ {
		w.SetF32("v1", 0, float32(i)) // in lane 0
		w.SetF32("v2", heddle.AllLanes, 1.5)
		err = w.Run()
		fmt.Print(w.F32("v0", 0), " ")
	}
	fmt.Println(err)
	// Output:
	// 1 2.5 4 <nil>
}

// The special function unit of G80, to the last bit of its tables.
func ExampleISA_Eval_tesla() {
	r, err := heddle.MustFind("g80").Eval("rcp f32 $r0 $r1", "r1=3.0,7.0,-0.0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(r)
	// Output:
	//     rcp f32 $r0 $r1
	// r0  lane 0  0x3eaaaaab  f32  0.33333334
	//     lane 1  0x3e124925  f32  0.14285715
	//     lane 2  0xff800000  f32  -Inf
}

// A compute program of Valhall without a descriptor: threads store their number, which is in r60, to words of the
// caller's memory. u0 and u1 are the buffer's address.
func ExampleISA_Program() {
	p, err := heddle.MustFind("valhall").Program(`
		SHADDX.u64 r0, u0, r60.w0, shift:0x2
		STORE.i32.slot0.end @r60, r0, offset:0`, heddle.ProgramOptions{})
	if err != nil {
		log.Fatal(err)
	}
	out := make([]byte, 8*4)
	l := heddle.Launch{Grid: [3]uint32{8}, Block: [3]uint32{8}}
	if _, err := p.Launch(context.Background(), l, heddle.InPlace{Data: out}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output: [0 0 0 0 1 0 0 0 2 0 0 0 3 0 0 0 4 0 0 0 5 0 0 0 6 0 0 0 7 0 0 0]
}
