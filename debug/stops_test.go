package debug

import (
	"errors"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
)

// count counts a number down to 0 in each lane that has one. Line numbers refer to count.s.
const count = `start:
	s_mov_b64 exec, 0x33
	v_mov_b32 v1, 3
again:
	v_subrev_u32 v1, vcc, 1, v1
	v_cmp_lt_u32 vcc, 0, v1
	s_cbranch_vccnz again
	s_endpgm
`

// assembled returns code with labels and lines.
func assembled(t testing.TB, set, text string) *isa.Program {
	t.Helper()
	target, err := sets.Lookup(set)
	if err != nil {
		t.Fatal(err)
	}
	a, errs := asm.Assemble(target, []byte(text), asm.Options{})
	if len(errs) > 0 {
		t.Fatal(errs[0].Detail())
	}
	from := &loc.Map{}
	for _, y := range a.Labels {
		from.Symbols = append(from.Symbols, loc.Symbol{Name: y.Name, Addr: y.Addr})
	}
	lines := map[uint64]int{0: 2, 4: 3, 8: 5, 12: 6, 16: 7, 20: 8}
	from.Text = func(addr uint64) loc.Position { return loc.Position{File: "count.s", Line: lines[addr]} }
	return &isa.Program{Target: target, Code: a.Code, Map: from}
}

// runs runs a wave whose v0 and v1 count up from lane to lane.
func runs(t testing.TB, by exec.Stepper, p *isa.Program) error {
	t.Helper()
	st, err := exec.NewState(p.Machine(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range st.V[:2*st.Stride] {
		st.V[i] = uint32(i)
	}
	st.Start(0, ^uint64(0))
	return launch.RunWave(t.Context(), exec.Stepped(engines.All()[0].New(), by), exec.NewProgram(p), st, &exec.Env{}, exec.Limits{})
}

// TestStops: the meanings of places, which places do not exist, and conditions. v1 of the active lanes counts 3, 2,
// 1; no active lane has v1 = 9.
func TestStops(t *testing.T) {
	p := assembled(t, "gcn:gfx8", count)
	for text, want := range map[string]string{
		"again": "again", "0x8": "again", "8": "again", "start+0x8": "again", "again,hit:3": "again", "again,wave:0": "again", "s_endpgm": "again+0xc", "v_subrev_u32": "again",
		"v_cmp_lt_u32": "again+0x4", "s_cbranch": "again+0x8", "V_SUBREV_U32_E32 v1, vcc, 1, v1": "again", "*0x8": "again",
		"count.s:5": "again", "count.s:4": "again", "some/count.s:6": "again+0x4", "count.s:6 if v1 == 1": "again+0x4", "again if v1 == 9": "-",
		"again if any(v1 == 2)": "again", "again,hit:2 if v1 < 3": "again",
		"agin": "!the nearest symbol is again", "zz": "!symbols are start, again", "v_cmp_lt_u23": "!the nearest instruction is v_cmp_lt_u32",
		"count.s:9": "!count.s:9: no code at this line or after it", "again if q == 1": "!condition q == 1: q: no variable in scope", "cont.s:5": "!no code of this file; the source files of the code are count.s",
		"again,hit:4": "-", "again,wave:1": "-", "again,group:1": "-", "v_add_f32": "-", "0xd": "-", "subrev_u32": "!no symbol, address or instruction",
	} {
		stops, err := NewStops([]string{text})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if err = runs(t, stops, p); err == nil {
			err = stops.Reached()
		}
		switch at := stops.At; {
		case want == "-":
			if !errors.As(err, new(*stepping.NotReached)) || at != nil {
				t.Errorf("%s: %v, %+v", text, err, at)
			}
		case want[0] == '!':
			if err == nil || !strings.Contains(err.Error(), want[1:]) {
				t.Errorf("%s: %v; want %s", text, err, want[1:])
			}
		case !errors.Is(err, stepping.ErrStopped) && err != nil || at == nil || at.Place.Name() != want:
			t.Errorf("%s: %v, %+v; want %s", text, err, at, want)
		}
	}
	for text, want := range map[string]string{"again if v1 ==": "condition:", ",hit:2": "no place", "again,hit:0": "hit:0"} {
		if _, err := NewStops([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// TestDump: registers of a wave in the second iteration, computed by hand: v1 is 2 in lanes 0, 1, 4, 5, and unchanged
// in others.
func TestDump(t *testing.T) {
	stops, err := NewStops([]string{"again,hit:2"})
	if err != nil {
		t.Fatal(err)
	}
	if err := runs(t, stops, assembled(t, "gcn:gfx8", count)); !errors.Is(err, stepping.ErrStopped) {
		t.Fatal(err)
	}
	text := stops.At.Render(stepping.LaneRange{First: 0, Last: 5})
	for _, want := range []string{"(0,0,0) w0  0x000008 <again> count.s:5  v_subrev_u32_e32 v1, vcc, 1, v1\n", "  exec    0x33\n", "  v1[0-5]=0x2,0x2,0x42,0x43,0x2,0x2\n", "  vcc_lo=0x33\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
