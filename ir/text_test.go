package ir_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
)

// drawn feeds a generator from rapid, so that a failing block shrinks.
type drawn struct{ t *rapid.T }

func (d drawn) Uint64() uint64 { return rapid.Uint64().Draw(d.t, "r") }

var windows = []irgen.Window{
	{Space: ir.GlobalSpace, Base: 1 << 40, Size: 4096},
	{Space: ir.GroupSpace, Size: 1024},
	{Space: ir.PrivateSpace, Base: 256, Size: 256},
	{Space: ir.ConstSpace, Bank: 3, Size: 256},
}

func TestRoundTrip(t *testing.T) {
	m := irgen.Machine()
	rapid.Check(t, func(t *rapid.T) {
		b := irgen.Block(rand.New(drawn{t}), m, irgen.Options{Marks: 3, Ops: 8, Memory: windows, Handles: 4, Control: true, Exec: true, Serial: true})
		text := ir.Print(m, b)
		got, err := ir.Parse(m, text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !got.Equal(b) {
			t.Fatalf("not the same block:\n%s\n%s", text, ir.Print(m, got))
		}
		if again := ir.Print(m, got); again != text {
			t.Fatalf("not the same text:\n%s\n%s", text, again)
		}
		if err := ir.Verify(m, got); err != nil {
			t.Fatal(err)
		}
	})
}

// TestRoundTripSeeds is the same over more and larger blocks, without rapid's bookkeeping.
func TestRoundTripSeeds(t *testing.T) {
	m := irgen.Machine()
	seen := map[ir.Op]bool{}
	for seed := range uint64(2000) {
		b := irgen.Block(rand.New(rand.NewPCG(seed, 1)), m, irgen.Options{Memory: windows, Handles: 4, Control: true, Exec: true, Serial: true})
		got, err := ir.Parse(m, ir.Print(m, b))
		if err != nil || !got.Equal(b) {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(m, b))
		}
		for i := range b.Ops {
			seen[b.Ops[i].Op] = true
		}
	}
	for op := range ir.Op(ir.Ops()) {
		if !seen[op] {
			t.Errorf("no block had %s", op)
		}
	}
}

const sample = `block 0x1a00 mode 0xc0
mark 0x1a00 size 4
  %0 = get.i32 v[5]
  %1w = const.i32 0x10
  %2:%3 = addov.i32 %0, %1w
  %4 = get.i1 exec
  set v[6], %2, %4
mark 0x1a04 size 4
mark 0x1a08 size 8 sub 1
  %5w = const.f32 0x3f800000 ; 1
  %6 = get.f32 v[0]
  %7 = fadd.f32 %6, %5w {rne daz ftz}
  %8w = get.i32 s[2]
  %9 = get.i1 exec
  %10 = getx.i32 z[1 + %8w], %9
  %11w = const.i64 0x100
  check store global[8 x 4 align 16] %11w, %9
  %12:%13 = load.i32 const:2[1 x 2 signed volatile descriptor silent] %8w, %9
  %14 = atomic.i32 group[4 smax] %10, %12, %9
  setx w[0 + %12], %13, %9
  setlast s[3], %14, %9
  issue slot writes v[0] x 4, v[9] reads s[1]
  issue vm reads s[0] x 2
  issue vm
  probe 0x1234, %12, %13, %9
  probe 1, %9
  %15 = sfu tesla-rcp %12
  wait slot, 0
  wait vm, 0xf
mark 0x1a10 size 4
  trap unimplemented "v_foo has no meaning"
`

func TestSample(t *testing.T) {
	m := irgen.Machine()
	b, err := ir.Parse(m, sample)
	if err != nil {
		t.Fatal(err)
	}
	if got := ir.Print(m, b); got != sample {
		t.Errorf("got\n%s", got)
	}
	noted := string(ir.Append(nil, m, b, func(k ir.Mark) string { return "v_mov_b32" }))
	if !strings.Contains(noted, "mark 0x1a04 size 4 ; v_mov_b32\n") {
		t.Errorf("no note in\n%s", noted)
	}
	if again, err := ir.Parse(m, noted); err != nil || !again.Equal(b) {
		t.Errorf("with notes: %v", err)
	}
	named, err := ir.Parse(m, "block 0\nmark 0\n%a=const.i32 010\r\n\t%sum = iadd.i32 %a,%a;x\nend")
	if err != nil || named.Ops[0].Imm != 8 || len(named.Ops) != 3 {
		t.Errorf("free form: %v", err)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "block 0\nmark 0 size 4\n"
	tests := []struct{ text, want string }{
		{"", "0:1: no block"},
		{"mark 0", `1:1: found "m", want "block" and its address`},
		{"block", "1:6: the line ends, want address"},
		{"block 0x1ffffffffffffffff", `1:7: "0x1ffffffffffffffff" is no address of 64 bits`},
		{"block 0 mode q", `1:14: "q" is no mode of 32 bits`},
		{"block 0\nblock 0", "2:1: a second block"},
		{head + "foo", `3:1: no op is called "foo"`},
		{head + "  %0w = const.i33 1", `3:15: no type is called "i33"`},
		{head + "%0 = const.i32 1", "3:1: %0: this value is one per wave, want a w"},
		{head + "%0w = laneid", "3:1: %0w: this value is one per lane, want no w"},
		{head + "%a = laneid\n%a = laneid", "4:1: %a is already defined"},
		{head + "%a = not.i32 %b", "3:14: %b is not defined before it"},
		{head + "%a:%b = const.i32 1", "3:9: const: 1 results, 2 named"},
		{head + "%a = const.i32", "3:15: const: the line ends, want a number"},
		{head + "%a = const.i32 1, 2", "3:19: const: a number too many"},
		{head + "%a = const.i32 1\n%b = not.i64 %a", `4:6: not: argument 1 is i32, rule is "b -> b"`},
		{head + "%a = const.i32 1\n%b = iadd.i32 %a", `4:6: iadd: 1 arguments, rule is "i i -> i"`},
		{head + "%a = const.i32 1\n%b = iadd.i32 %a,", `4:18: the line ends after a comma`},
		{head + "%a = get.i32 q[1]", `3:14: test has no register file "q"`},
		{head + "%a = get.i32 v[70000]", `3:16: "70000" is no index of 16 bits`},
		{head + "%a = get.i32 v[1", `3:17: the line ends, want "]"`},
		{head + "%a = getx.i32 v[1]", `3:18: found "]", want "+"`},
		{head + "%a = const.i32 0\n%b = load.i32 glob[4] %a", `4:15: no address space is called "glob"`},
		{head + "%a = const.i32 0\n%b = load.i32 global[4 big] %a", `4:24: no access attribute is called "big"`},
		{head + "trap odd \"x\"", `3:6: no trap reason is called "odd"`},
		{head + "trap guest x", `3:12: found "x", want a quoted text`},
		{head + "%a = const.f32 0\n%b = fneg.f32 %a {up}", "4:19: float mode"},
		{head + "%a = const.f32 0\n%b = fneg.f32 %a {rne", "4:18: a float mode without its }"},
		{head + "end end", "3:5: "},
		{head + "wait vm", "3:8: the line ends, want \",\""},
		{head + "%", "3:2: the line ends, want name of a value"},
	}
	for _, tt := range tests {
		_, err := ir.Parse(irgen.Machine(), tt.text)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.text, err, tt.want)
		}
	}
}

// FuzzParse: any text is rejected, or parses to a block that prints and parses again; verifying it never panics.
func FuzzParse(f *testing.F) {
	m := irgen.Machine()
	f.Add(sample)
	for seed := range uint64(20) {
		f.Add(ir.Print(m, irgen.Block(rand.New(rand.NewPCG(seed, 2)), m, irgen.Options{Memory: windows, Control: true})))
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ir.Parse(m, text)
		if err != nil {
			return
		}
		ok := ir.VerifyOptimised(m, b) == nil
		printed := ir.Print(m, b)
		again, err := ir.Parse(m, printed)
		if ok && (err != nil || !again.Equal(b)) {
			t.Fatalf("%v\n%q\n%s", err, text, printed)
		}
	})
}
