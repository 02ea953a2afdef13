package eval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

func gfx8(t testing.TB) *isa.Target {
	t.Helper()
	s, err := sets.Lookup("gcn:gfx8")
	if s == nil {
		t.Fatal(err)
	}
	return s
}

func TestParseValue(t *testing.T) {
	for _, c := range []struct {
		text  string
		bits  int
		float bool
		want  string // hexadecimal, or the error
	}{
		{"12", 32, false, "c"},
		{"-1", 32, false, "ffffffff"},
		{"-1", 64, false, "ffffffffffffffff"},
		{"0xffffffff", 32, false, "ffffffff"},
		{"-0x80000000", 32, false, "80000000"},
		{"0b101", 32, false, "5"},
		{"1.5", 32, false, "3fc00000"},
		{"1.5", 64, false, "3ff8000000000000"},
		{"1e3", 32, false, "447a0000"},
		{"-inf", 32, false, "ff800000"},
		{"f16:1.5", 32, false, "3e00"},
		{"f32:1", 64, false, "3f800000"},
		{"i16:-1", 32, false, "ffff"},
		{"3", 32, true, "40400000"},
		{"0x3", 32, true, "3"},
		{"1", 1, false, "1"},
		{"0.1", 32, false, "3dcccccd"},
		{"0x10000000000000000", 128, false, "10000000000000000"},
		{"0x100000000", 32, false, "0x100000000 does not fit 32 bits"},
		{"-0x80000001", 32, false, "-0x80000001 does not fit 32 bits"},
		{"f64:1", 32, false, "f64:1 does not fit 32 bits"},
		{"u7:1", 32, false, `"u7" is no type; want f16, f32, f64 or i16 to u64`},
		{"1.5", 1, false, "1.5: a float has 16, 32 or 64 bits, not 1"},
		{"", 32, false, `"" is no number: numbers are 12, -1, 0x3f800000, 1.5, inf, nan, f16:1.5`},
		{"v1", 32, false, `"v1" is no number: numbers are 12, -1, 0x3f800000, 1.5, inf, nan, f16:1.5`},
	} {
		v, err := ParseValue(c.text, c.bits, c.float)
		got := fmt.Sprintf("%x", v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s in %d bits: %s, want %s", c.text, c.bits, got, c.want)
		}
	}
}

// run assembles and runs, and returns the result as text.
func run(t *testing.T, program string, regs ...string) (*Result, error) {
	t.Helper()
	s := gfx8(t)
	p, errs := Assemble(s, program)
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	var set Setup
	for _, r := range regs {
		a, err := p.ParseAssign(r)
		if err != nil {
			t.Fatal(err)
		}
		set.Regs = append(set.Regs, a)
	}
	set.Memory = []Region{{Space: ir.GlobalSpace, Name: "mem", Addr: 0x1000, Data: make([]byte, 64)}}
	return p.Run(context.Background(), set)
}

func TestRun(t *testing.T) {
	for _, c := range []struct {
		program string
		regs    []string
		want    string
	}{
		{"v_add_f32 v0, v1, v2", []string{"v1=1.5", "v2=2.25"}, "v0 lanes 0-63 0x40700000 f32 3.75"},
		{"v_add_f32 v0, v1, v2", []string{"v1=1.5,2", "v2=1.0"}, "v0 lane 0 0x40200000 f32 2.5|lane 1 0x40400000 f32 3"},
		{"v_mov_b32 v0, v1", []string{"v1=1,2,3,4,5,6"}, "v0 lane 0 0x00000001 1|lane 1 0x00000002 2|lane 2 0x00000003 3|lane 3 0x00000004 4|lane 4 0x00000005 5|lane 5 0x00000006 6"},
		{"s_mov_b64 exec, 3", nil, "exec 0x0000000000000003 mask lanes 0-1"},
		{"s_mov_b32 exec_lo, 3", nil, "exec 0xffffffff00000003 mask lanes 0-1, 32-63"},
		{"s_cmp_eq_u32 s0, s1", nil, "scc 0x1"},
		{"v_mov_b32 v0, 7", []string{"exec=0x6"}, "v0 lanes 1-2 0x00000007 7"},
		{"v_mov_b32 v0, 7", []string{"exec_hi=0", "exec_lo=1"}, "v0 lane 0 0x00000007 7"},
		{"v_mov_b32 v0, v0", []string{"v0=9"}, "v0 lanes 0-63 0x00000009 9 as before"},
		{"flat_store_dwordx2 v[0:1], v[2:3]", []string{"v[0:1]=0x1008,0x1010", "v[2:3]=1,2"}, "mem 0x1008 01000000|mem 0x1010 02000000"},
		{"flat_store_byte v[0:1], v2", []string{"v[0:1]=0x1009,0x1011,0x1012", "v2=7"}, "mem 0x1008 00070000|mem 0x1010 00070700"},
		{"flat_store_byte v[0:1], v2", []string{"v[0:1]=0x103f", "v2=7"}, "mem 0x103c 00000007"},
		{"02ff0080 11223344", []string{"s2=1"}, "s0 0x44332212 int32 1144201746|scc 0x0 as before"},
		{"s_branch end; s_mov_b32 s0, 1; end:", nil, "pc 0x8 the end of the program|no register and no memory was written"},
		{"s_endpgm; s_mov_b32 s0, 1", nil, "pc 0x0 the wave has ended|no register and no memory was written"},
		// The types are those of the instructions.
		{"v_add_f16 v0, v1, v2", []string{"v1=1.5", "v2=2.25"}, "v0 lanes 0-63 0x00004380 f16 3.75"},
		{"v_cvt_pkrtz_f16_f32 v0, v1, v2", []string{"v1=1.5", "v2=-2.0"}, "v0 lanes 0-63 0xc0003e00 2 x f16 1.5, -2"},
		{"v_fma_f64 v[0:1], v[2:3], v[4:5], 1.0", []string{"v[2:3]=1.5", "v[4:5]=2.0"}, "v[0:1] lanes 0-63 0x4010000000000000 f64 4"},
		{"v_bfe_i32 v0, v1, 4, 8", []string{"v1=0xffff"}, "v0 lanes 0-63 0xffffffff i32 -1"},
		{"v_bfe_u32 v0, v1, 4, 8", []string{"v1=0xffff"}, "v0 lanes 0-63 0x000000ff u32 255"},
		{"s_sub_u32 s0, s1, 2", []string{"s1=1"}, "s0 0xffffffff int32 4294967295 = -1|scc 0x1"},
		{"v_cmp_gt_f32 vcc, v0, v1", []string{"v0=2.0,1.0,3.0,4.0", "v1=1.5"}, "vcc 0x000000000000000d mask lanes 0, 2-3"},
		{"v_cndmask_b32 v2, v0, v1, vcc", []string{"v0=1.5", "v1=2.5", "vcc=-1"}, "v2 lanes 0-63 0x40200000 f32 2.5"},
		{"v_mov_b32 v0, v1", []string{"v1=0x3fc00000"}, "v0 lanes 0-63 0x3fc00000 1069547520 or f32 1.5"},
		{"v_mov_b32 v0, 1.0", []string{"exec=0"}, "v0 no lane ran as before"},
	} {
		r, err := run(t, c.program, c.regs...)
		if err != nil {
			t.Errorf("%s: %v", c.program, err)
			continue
		}
		var lines []string
		for _, l := range strings.Split(strings.TrimSpace(r.Render(Style{More: " (--lanes)"})), "\n")[len(r.Program.Text()):] {
			lines = append(lines, strings.Join(strings.Fields(l), " "))
		}
		if got := strings.Join(lines, "|"); got != c.want {
			t.Errorf("%s %v:\n got %s\nwant %s", c.program, c.regs, got, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ program, want string }{
		{"v_mov_b32 v0, 1; flat_load_dword v1, v[2:3]", `pc 0x4 "flat_load_dword v1, v[2:3]" wave 0 lane 0: global load of 4 bytes at 0x0`},
		{"top: s_branch top", "step limit of 1000000 guest instructions"},
		{".long 0xffffffff", "invalid"},
	} {
		r, err := run(t, c.program)
		var f *exec.Fault
		if !errors.As(err, &f) || !strings.Contains(err.Error(), c.want) || r == nil {
			t.Errorf("%s: %v, want %s", c.program, err, c.want)
		}
	}
}

// TestCase: a result is written as a case that can be read, with one word per register.
func TestCase(t *testing.T) {
	r, err := run(t, "v_lshlrev_b64 v[0:1], 1, v[2:3]", "v[2:3]=0x100000001,2")
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Case("shift")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range casefile.States(strings.NewReader(string(text)), "case") {
		if err != nil {
			t.Fatal(err)
		}
		if c.Name != "shift" || c.Launch.Lanes != 2 || len(c.Asm) != 2 {
			t.Errorf("%+v", c)
		}
		for name, want := range map[string][2]uint64{"v0": {2, 4}, "v1": {2, 0}} {
			if w := c.Final.Regs[name]; w.V == nil || w.Lane(0) != want[0] || w.Lane(1) != want[1] {
				t.Errorf("%s is %v, want %v", name, w, want)
			}
		}
		if w := c.Initial.Regs["v3"]; w.V == nil || w.Lane(0) != 1 {
			t.Errorf("v3 is %v, want 1 and 0", w)
		}
	}
}

func TestAssignRefuses(t *testing.T) {
	p, errs := Assemble(gfx8(t), "s_nop 0")
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	for _, text := range []string{"v0", "=1", "v999=1", "s0=1,2", "v0=", "v0=1,", "v0=" + strings.Repeat("1,", 64) + "1", "q=1"} {
		if _, err := p.ParseAssign(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// TestGiven: how values of registers are parsed, given what the program reads, and which are rejected.
func TestGiven(t *testing.T) {
	for _, c := range []struct {
		isa, program, reg string
		want              string // value of the first lane and the note, or the error
	}{
		{"gcn:gfx8", "v_add_f16 v0, v1, v2", "v1=1.5", "3e00"},
		{"gcn:gfx8", "v_add_f16 v0, v1, v2", "v1=f32:1.5", "3fc00000"},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1=1", "1 v1=1 is the integer 1, a denormal f32: write 1.0"},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1=100000000", "5f5e100 v1=100000000 is the integer 100000000, f32 2.3122341e-35: write 100000000.0"},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1=0", "0"},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1=0x1", "1"},
		{"gcn:gfx8", "v_add_f64 v[0:1], v[2:3], v[4:5]", "v[2:3]=3", "3 v[2:3]=3 is the integer 3, a denormal f64: write 3.0"},
		{"gcn:gfx8", "v_add_u32 v0, vcc, v1, v2", "v1=1", "1"},
		{"gcn:gfx8", "s_load_dword s0, s[2:3], 0", "s[4:7]=(1 2 0x30 4)", "4000000300000000200000001"},
		{"gcn:gfx8", "s_load_dword s0, s[2:3], 0", "s[4:7]=(1 2 3)", "s[4:7]: (1 2 3): 3 components, want 4"},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1=(1 2)", "v1: (1 2): the register holds one number"},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", "v1=(1", "v1: (1: want ) after the components"},
		{"valhall", "FADD.v2f16 r0, r1, r2", "r1=(1.5 -2)", "c0003e00"},
		{"valhall", "FADD.v2f16 r0, r1, r2", "r1=1.5", "r1: 1.5: the program reads 2 numbers from it: write all of them, such as (1.5 0)"},
		{"attila", "mad r1, r2, r3, r4", "r2=1.0,2,3,4", "408000004040000040000000" + "3f800000"},
		{"attila", "mad r1, r2, r3, r4", "r2=1.0,2,3", "r2 has 4 components, not 3; a value for each lane is a list of (X Y ...)"},
	} {
		s, err := sets.Lookup(c.isa)
		if s == nil {
			t.Fatal(err)
		}
		p, errs := Assemble(s, c.program)
		if len(errs) > 0 {
			t.Fatal(errs[0].Detail())
		}
		a, err := p.ParseAssign(c.reg)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.TrimSpace(fmt.Sprintf("%x %s", a.Values[0], a.Note))
		}
		if got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.program, c.reg, got, c.want)
		}
	}
}

// TestDisjoint: no register may be assigned twice, and all lists have the same length.
func TestDisjoint(t *testing.T) {
	for _, c := range []struct {
		regs []string
		want string
	}{
		{[]string{"v1=1", "v1=2"}, "eval: v1 is given twice"},
		{[]string{"v[0:1]=1", "v1=2"}, "eval: v[0:1] and v1 share bits"},
		{[]string{"exec=1", "exec_lo=2"}, "eval: exec and exec_lo share bits"},
		{[]string{"v1=1,2,3", "v2=1,2"}, "eval: v1 has 3 values, v2 has 2: lists have one for each lane"},
	} {
		if _, err := run(t, "v_mov_b32 v0, v1", c.regs...); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.regs, err, c.want)
		}
	}
}

// TestNotes: a note reports a modifier that the mode makes ineffective, with the field that does.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		program string
		mode    uint32
		want    string
	}{
		{"v_add_f32 v0, v1, v2 mul:2", 0x2c0, "omod has no effect under ieee=on"},
		{"v_add_f32 v0, v1, v2 mul:2", 0x0c0, ""},
		{"v_add_f32 v0, v1, v2 mul:2", 0x0f0, "omod has no effect under denorm=f32:keep"},
		{"v_add_f32 v0, v1, v2 mul:2", 0x2f0, "omod has no effect under denorm=f32:keep and ieee=on"},
		{"v_add_f32 v0, v1, v2 clamp", 0x2f0, ""},
	} {
		p, errs := Assemble(gfx8(t), c.program)
		if len(errs) > 0 {
			t.Fatal(errs[0].Detail())
		}
		r, err := p.Run(context.Background(), Setup{Mode: &c.mode})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(r.Notes(), "|")
		if _, note, ok := strings.Cut(got, ": "); ok {
			got = note
		}
		if got != c.want {
			t.Errorf("%s under %#x: %q, want %q", c.program, c.mode, got, c.want)
		}
	}
}

// TestLanesThatRun: the number of active lanes is the length of the longest list, in any position; or the requested
// number; or all lanes by default; never more than the wave has.
func TestLanesThatRun(t *testing.T) {
	s := gfx8(t)
	for _, c := range []struct {
		regs  []string
		lanes int
		want  uint64
	}{
		{[]string{"v1=1,2,3,4,5", "v2=1"}, 0, 31},
		{[]string{"v2=1", "v1=1,2,3,4,5"}, 0, 31},
		{[]string{"v1=1,2,3", "v2=7", "s0=1"}, 0, 7},
		{[]string{"v1=1,2,3,4", "v2=1,2,3,4", "v3=1"}, 0, 15},
		{[]string{"v1=1,2,3,4,5"}, 2, 3},
		{[]string{"v1=1,2"}, 5, 31},
		{[]string{"v1=7"}, 0, ^uint64(0)},
		{nil, 0, ^uint64(0)},
		{nil, 1, 1},
		{nil, 64, ^uint64(0)},
		{nil, 1000, ^uint64(0)},
	} {
		p, errs := Assemble(s, "v_mov_b32 v10, 9")
		if len(errs) > 0 {
			t.Fatal(errs[0])
		}
		set := Setup{Lanes: c.lanes}
		for _, r := range c.regs {
			a, err := p.ParseAssign(r)
			if err != nil {
				t.Fatal(err)
			}
			set.Regs = append(set.Regs, a)
		}
		r, err := p.Run(context.Background(), set)
		if err != nil {
			t.Fatal(err)
		}
		ran := uint64(0)
		for lane, x := range r.Changes[0].Values {
			if x == 9 {
				ran |= 1 << lane
			}
		}
		if r.Active != c.want || ran != c.want {
			t.Errorf("%q, %d lanes: %#x active, %#x ran, want %#x", c.regs, c.lanes, r.Active, ran, c.want)
		}
	}
}

// TestStepLimit: a program with as many instructions as the limit runs to its end; one more is a fault that names the
// limit, after the other instructions have run.
func TestStepLimit(t *testing.T) {
	s := gfx8(t)
	for _, limit := range []uint64{1, 2, 7} {
		for _, over := range []uint64{0, 1} {
			n := limit + over
			text := strings.Repeat("s_add_u32 s0, s0, 1\n", int(n))
			p, errs := Assemble(s, text)
			if len(errs) > 0 {
				t.Fatal(errs[0])
			}
			r, err := p.Run(context.Background(), Setup{Steps: limit})
			if s0 := r.After.Get(r.Changes[0].Reg.Cells[0], 0); uint64(s0) != limit || r.Count.Instructions != limit {
				t.Errorf("limit %d, %d instructions: s0 is %d after %d", limit, n, s0, r.Count.Instructions)
			}
			var f *exec.Fault
			if over == 0 && err != nil || over == 1 && (!errors.As(err, &f) || f.Kind != exec.FaultLimit || f.Limit != limit) {
				t.Errorf("limit %d, %d instructions: %v", limit, n, err)
			}
		}
	}
}
