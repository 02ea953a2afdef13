package web_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"image/png"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/web"
)

// ask makes a request, and reads the result into v.
func ask(t *testing.T, method string, request, v any) {
	t.Helper()
	if e := askAny(t, method, request, v); e != nil {
		t.Fatalf("%s: %+v", method, *e)
	}
}

// askAny is ask for a request that may fail.
func askAny(t *testing.T, method string, request, v any) *web.Error {
	t.Helper()
	data, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result json.RawMessage
		Error  *web.Error
	}
	if err := json.Unmarshal(web.Call(context.Background(), method, data), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Error == nil && v != nil {
		if err := json.Unmarshal(answer.Result, v); err != nil {
			t.Fatal(err)
		}
	}
	return answer.Error
}

func f32(x float64) string { return fmt.Sprintf("0x%08x", math.Float32bits(float32(x))) }

// result returns the register of a name after a run, by lanes: "0 0x...".
func result(e *web.Evaluated, name string) (list []string) {
	for _, r := range e.Changes {
		for _, run := range r.Runs {
			if r.Name == name {
				list = append(list, fmt.Sprintf("%d-%d %s", run.From, run.To, run.Hex))
			}
		}
	}
	return list
}

// TestEval: instructions of all sets and variants on given registers; the expected bits are computed by the host's
// arithmetic.
func TestEval(t *testing.T) {
	for _, c := range []struct {
		isa, text, state, name string
		want                   []float64
	}{
		{"gcn", "v_fma_f32 v0, v1, v2, 1.0", "v1=1.5 v2=2.25,-3", "v0", []float64{1.5*2.25 + 1, 1.5*-3 + 1}},
		{"gcn:gfx6", "v_mad_f32 v0, v1, v2, 1.0", "v1=1.5 v2=2.25,-3", "v0", []float64{1.5*2.25 + 1, 1.5*-3 + 1}},
		{"gcn:gfx7", "v_mul_f32 v0, v1, v2", "v1=1.5 v2=2.25,-3", "v0", []float64{1.5 * 2.25, 1.5 * -3}},
		{"valhall", "FMA.f32 r0, r1, r2, r3", "r1=1.5 r2=2.25,-3 r3=0.5", "r0", []float64{1.5*2.25 + 0.5, 1.5*-3 + 0.5}},
		{"tesla", "mul rn f32 $r0 $r1 $r2", "$r1=1.5 $r2=2.25,-3", "r0", []float64{1.5 * 2.25, 1.5 * -3}},
		{"tesla:gt215", "mul rn f32 $r0 $r1 $r2", "$r1=1.5 $r2=2.25,-3", "r0", []float64{1.5 * 2.25, 1.5 * -3}},
		{"rogue", "{ s0 = r1, s1 = r2, is4 = ft0 p0: fadd ft0, s0, s1; w0 = r0 }", "r1=1.5 r2=2.25,-3", "r0", []float64{1.5 + 2.25, 1.5 - 3}},
		{"attila:sim", "add o0.x, i0, i1", "i0=(1.5,0,0,0),(1,0,0,0) i1=(2.25,0,0,0),(-3,0,0,0)", "o0.x", []float64{1.5 + 2.25, 1 - 3}},
	} {
		var e web.Evaluated
		ask(t, "eval", web.Evaluate{Target: web.Target{ISA: c.isa}, Text: c.text, State: c.state}, &e)
		var want []string
		for lane, x := range c.want {
			want = append(want, fmt.Sprintf("%d-%d %s", lane, lane, f32(x)))
		}
		if got := result(&e, c.name); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s %s: %v, want %v", c.isa, c.text, got, want)
		}
		if e.Lanes != len(c.want) || len(e.Program) != 1 || e.Program[0].Hex == "" {
			t.Errorf("%s: %+v", c.isa, e)
		}
	}
}

// TestInputs: the registers that a program reads are reported, with the types with which it reads them; those that it
// writes first are not; and a register of two words of which one is given is split.
func TestInputs(t *testing.T) {
	for _, c := range []struct{ isa, text, state, want string }{
		{"gcn", "v_add_f32 v0, v1, v2; v_add_u32 v3, vcc, v0, v4", "", "v1:f32:32 v2:f32:32 v4:i32:32"},
		{"gcn", "v_fma_f64 v[0:1], v[2:3], v[4:5], 1.0", "", "v[2:3]:f64:64 v[4:5]:f64:64"},
		{"gcn", "flat_load_dword v0, v[4:5]", "v4=0x1000", "v5:i32:32 flat_scratch_hi:u32:32 v4:i32:32"},
		{"gcn", "v_cndmask_b32 v0, v1, v2, vcc", "exec=5", "v2:hex:32 v1:hex:32 vcc:hex:64 exec:hex:64"},
		{"attila", "add r0.xy, r1, i0", "", "r1.x:f32:32 r1.y:f32:32 i0.x:f32:32 i0.y:f32:32"},
		{"attila", "add r0.xy, r1, i0", "r1.x=1.0 r1=1.0,2,3,4", "r1.x:f32:32 r1.y:f32:32 r1.z:hex:32 r1.w:hex:32 i0.x:f32:32 i0.y:f32:32"},
		{"tesla", "add rn f32 $r0 $r1 $r2", "$r1=1.0", "r2:f32:32 $r1:f32:32"},
	} {
		var e web.Evaluated
		ask(t, "eval", web.Evaluate{Target: web.Target{ISA: c.isa}, Text: c.text, State: c.state}, &e)
		var got []string
		for _, r := range e.Inputs {
			got = append(got, fmt.Sprintf("%s:%s:%d", r.Name, r.Type, r.Bits))
		}
		if sorted(strings.Join(got, " ")) != sorted(c.want) {
			t.Errorf("%s: %s, want %s", c.text, strings.Join(got, " "), c.want)
		}
	}
}

func sorted(s string) string {
	list := strings.Fields(s)
	for i := range list {
		for k := i; k > 0 && list[k] < list[k-1]; k-- {
			list[k], list[k-1] = list[k-1], list[k]
		}
	}
	return strings.Join(list, " ")
}

// TestMemory: memory in the state is read and written; if there is none, the fault says which would help, and with
// that it runs.
func TestMemory(t *testing.T) {
	r := web.Evaluate{Target: web.Target{ISA: "gcn"}, Text: "flat_load_dword v0, v[4:5]; s_waitcnt vmcnt(0); v_add_u32 v0, vcc, 1, v0; flat_store_dword v[4:5], v0",
		State: "v[4:5]=0x1008 exec=1 global:0x1000=hex:00000000_11111111_2a000000_00000000"}
	var e web.Evaluated
	ask(t, "eval", r, &e)
	if len(e.Memory) != 1 || e.Memory[0] != (web.Bytes{Space: "global", Addr: "0x1008", Was: "2a000000", Now: "2b000000"}) {
		t.Errorf("memory is %+v", e.Memory)
	}
	r.State = "v[4:5]=0x7008 exec=1"
	ask(t, "eval", r, &e)
	if e.Fault == nil || e.Fault.Memory != "global:0x7000=zero:512" || e.Fault.Lane != 0 || e.Fault.Addr != 0 {
		t.Fatalf("fault is %+v", e.Fault)
	}
	r.State += " " + e.Fault.Memory
	e.Fault = nil
	ask(t, "eval", r, &e)
	if e.Fault != nil || len(e.Memory) != 1 || e.Memory[0].Now != "01000000" {
		t.Errorf("with memory: %+v", e)
	}
	r.State = "global:0x1000=zero:16 " + r.State // another, disjoint one
	e = web.Evaluated{}
	ask(t, "eval", r, &e)
	if e.Fault != nil || len(e.Memory) != 1 || e.Memory[0] != (web.Bytes{Space: "global", Addr: "0x7008", Was: "00000000", Now: "01000000"}) {
		t.Errorf("with two regions: %+v", e)
	}
}

// TestErrors: each error says what is wrong, where, and what to write instead.
func TestErrors(t *testing.T) {
	eval := func(isa, text, state string) web.Evaluate {
		return web.Evaluate{Target: web.Target{ISA: isa}, Text: text, State: state}
	}
	for _, c := range []struct {
		method       string
		request      any
		place, words string // "line:col", or the register
	}{
		{"evaluate", 0, "", "there are isas, eval, explain, show, list, draw"},
		{"eval", eval("", "x", ""), "", "gcn:gfx8"},
		{"eval", eval("gcm", "x", ""), "", "gcn is the nearest"},
		{"eval", eval("gcn", "", ""), "", "no instruction"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1\nv_mov_b32 v0, q1", ""), "2:15", "q1"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1", "v1=x"), "v1", "no number"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1", "v1=1 v1=2"), "", "given twice"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1", "v1"), "v1", "REGISTER=VALUE"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1", "global:x=zero:1"), "global:x", "no address"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1", "global:0=zero:99999999"), "global:0", "at most 1048576"},
		{"eval", eval("gcn", "v_mov_b32 v0, v1", "global:0xffffffffffffffff=zero:8"), "global:0xffffffffffffffff", "64 bits"},
		{"eval", eval("gcn", strings.Repeat(";", 70000), ""), "", "at most 65536"},
		{"eval", web.Evaluate{Target: web.Target{ISA: "gcn", Stage: "vp"}, Text: "x"}, "", "alike in every stage"},
		{"eval", web.Evaluate{Target: web.Target{ISA: "gcn"}, Text: "s_nop 0", Lanes: 65}, "", "has 64"},
		{"eval", map[string]any{"isa": "gcn", "txt": "x"}, "", `unknown field "txt"`},
		{"explain", web.Explain{Target: web.Target{ISA: "gcn"}, Text: "v_ad_f32"}, "1:1", "v_ad_f32"},
		{"show", web.Values{Type: "f8", Bits: 32}, "", "no type"},
		{"show", web.Values{Type: "f32", Bits: 65}, "", "of 65 bits"},
		{"show", web.Values{Type: "f32", Bits: 16, Hex: []string{"0x10000"}}, "", "16 bits"},
		{"list", web.List{}, "", "nothing to list"},
		{"list", web.List{Text: "s_endpgm"}, "", ".isa"},
		{"list", web.List{Target: web.Target{ISA: "gcn"}, Text: "s_endpgm\ns_foo"}, "2:1", "s_foo"},
		{"list", web.List{Data: "!"}, "", "base64"},
		{"list", web.List{Data: base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("\xff"), 64)), Name: "x.bin", Target: web.Target{ISA: "guess"}}, "", "x.bin"},
		{"list", web.List{Data: base64.StdEncoding.EncodeToString([]byte("\x7fELF and no more")), Name: "x.o"}, "", "x.o"},
		{"draw", web.Draw{Target: web.Target{ISA: "attila"}, Text: "end", Width: 0, Height: 4}, "", "1 to 1024"},
		{"draw", web.Draw{Target: web.Target{ISA: "gcn"}, Text: "s_endpgm", Width: 4, Height: 4}, "", "cannot be drawn"},
		{"draw", web.Draw{Target: web.Target{ISA: "attila"}, Text: "mov o1, i6\nmoo\n", Width: 4, Height: 4}, "2:1", "moo"},
		{"draw", web.Draw{Target: web.Target{ISA: "attila"}, Text: "mov o1, i6\nend\n", Width: 4, Height: 4, Constants: map[string][]float64{"d0": {1}}}, "", "d0"},
		{"draw", web.Draw{Target: web.Target{ISA: "attila"}, Text: "top: jmp true, top\nend\n", Width: 4, Height: 4}, "", "1048576"},
	} {
		e := askAny(t, c.method, c.request, nil)
		if e == nil {
			t.Errorf("%s %+v: no error, want %q", c.method, c.request, c.words)
			continue
		}
		place := e.Register
		if len(e.Errors) > 0 {
			place = fmt.Sprintf("%d:%d", e.Errors[0].Line, e.Errors[0].Col)
		}
		text, _ := json.Marshal(e)
		if place != c.place || !strings.Contains(strings.ReplaceAll(string(text), `\"`, `"`), c.words) {
			t.Errorf("%s %.80v: %s at %q, want %q at %q", c.method, c.request, text, place, c.words, c.place)
		}
	}
}

// TestShow: bits as types, compared with the host's floats and integers.
func TestShow(t *testing.T) {
	for _, c := range []struct {
		typ  string
		bits int
		hex  string
		want string
	}{
		{"f32", 32, f32(0.1), "0.1"}, {"i32", 32, "0xffffffff", "-1"}, {"u32", 32, "0xffffffff", "4294967295"}, {"hex", 32, "7", "0x00000007"},
		{"f64", 64, fmt.Sprintf("%x", math.Float64bits(-2.5)), "-2.5"}, {"f16", 32, "3c00", "1"}, {"f16", 32, "3c00c000", "(-2 1)"}, {"f32", 64, "3f800000bf800000", "(-1 1)"},
		{"u16", 16, "8000", "32768"}, {"i16", 16, "8000", "-32768"}, {"f32", 32, "7f800000", "+Inf"}, {"f32", 1, "1", "0x1"}, {"i64", 64, "8000000000000000", "-9223372036854775808"},
	} {
		var got struct{ Text []string }
		ask(t, "show", web.Values{Type: c.typ, Bits: c.bits, Hex: []string{c.hex}}, &got)
		if len(got.Text) != 1 || got.Text[0] != c.want {
			t.Errorf("%s of %d bits as %s: %q, want %q", c.hex, c.bits, c.typ, got.Text, c.want)
		}
	}
}

// TestExplain: both readings of bytes that are an instruction in either order, and what a bare mnemonic stands for.
func TestExplain(t *testing.T) {
	word := binary.LittleEndian.AppendUint32(nil, 1<<25|2<<9|0x101) // v_add_f32_e32 v0, v1, v2: the GCN3 manual, VOP2
	var pages []struct {
		Text, Order string
		Parts       []struct{ Fields []struct{ Owner string } }
	}
	ask(t, "explain", web.Explain{Target: web.Target{ISA: "gcn"}, Text: hex.EncodeToString(word)}, &pages)
	if len(pages) == 0 || pages[0].Text != "v_add_f32_e32 v0, v1, v2" || len(pages[0].Parts[0].Fields) < 4 {
		t.Errorf("%+v", pages)
	}
	ask(t, "explain", web.Explain{Target: web.Target{ISA: "tesla"}, Text: "add"}, &pages)
	if len(pages) != 1 || !strings.HasPrefix(pages[0].Text, "add") {
		t.Errorf("%+v", pages)
	}
}

// TestSets: every set has an example that runs, in each of its variants.
func TestSets(t *testing.T) {
	var sets []web.Set
	ask(t, "isas", struct{}{}, &sets)
	if len(sets) != 5 {
		t.Fatalf("%d sets", len(sets))
	}
	for _, s := range sets {
		for _, v := range s.Variants {
			var e web.Evaluated
			ask(t, "eval", web.Evaluate{Target: web.Target{ISA: v.ISA}, Text: s.Example.Text, State: s.Example.State}, &e)
			if e.Fault != nil || len(e.Changes) == 0 {
				t.Errorf("%s: %+v", v.ISA, e)
			}
		}
	}
}

// TestList: a listing of each kind of input assembles back to the same code.
func TestList(t *testing.T) {
	object, err := os.ReadFile("../../examples/mandelbrot/mandelbrot.gfx803.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	knot, err := os.ReadFile("../../examples/knot/knot.fs.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r                web.List
		isa, what, label string
	}{
		{web.List{Data: base64.StdEncoding.EncodeToString(object), Name: "m.hsaco"}, "gcn:gfx8", "m.hsaco, a code object v5 for gfx803", "mandelbrot"},
		{web.List{Text: string(knot), Target: web.Target{ISA: "valhall"}}, "valhall:v9", "assembly", "solid"},
		{web.List{Text: ".isa gcn:gfx7\nx: s_branch x\ns_endpgm\n"}, "gcn:gfx7", "assembly, 8 bytes", "x"},
		{web.List{Text: "00 00 81 bf", Target: web.Target{ISA: "gcn"}}, "gcn:gfx8", "4 bytes in hexadecimal digits", ""},
		{web.List{Data: base64.StdEncoding.EncodeToString([]byte(".isa attila\nl: mov o1, i6\njmp p0, l\nend\n")), Name: "a.s"}, "attila:attila", "assembly", "l"},
	} {
		var l web.Listed
		ask(t, "list", c.r, &l)
		if l.ISA != c.isa || !strings.Contains(l.What, c.what) || c.label != "" && !strings.Contains(" "+strings.Join(l.Labels, " ")+" ", " "+c.label+" ") {
			t.Errorf("%q as %s with %v, want %q as %s with %q", l.What, l.ISA, l.Labels, c.what, c.isa, c.label)
		}
		var b strings.Builder
		for _, line := range l.Lines {
			if line.Label != "" {
				b.WriteString(line.Label + ": ")
			}
			b.WriteString(line.Before + line.Op + line.Rest + line.Comment + "\n")
		}
		var again web.Listed
		ask(t, "list", web.List{Text: b.String()}, &again)
		if again.Bytes != l.Bytes || len(again.Lines) != len(l.Lines) {
			t.Errorf("%s: %d bytes in %d lines, and again %d in %d", l.What, l.Bytes, len(l.Lines), again.Bytes, len(again.Lines))
		}
	}
}

// TestDraw: the picture of the example, and a gradient of each set that draws.
func TestDraw(t *testing.T) {
	program, err := os.ReadFile("../../examples/julia/julia.s")
	if err != nil {
		t.Fatal(err)
	}
	var d web.Drawn
	ask(t, "draw", web.Draw{Target: web.Target{ISA: "attila"}, Text: string(program), Width: 96, Height: 64}, &d)
	f, err := os.Open("../../examples/julia/julia-96x64.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	pixels, err := base64.StdEncoding.DecodeString(d.Pixels)
	if err != nil || len(pixels) != 4*96*64 {
		t.Fatal(len(pixels), err)
	}
	for i := range 96 * 64 {
		r, g, b, _ := want.At(i%96, i/96).RGBA()
		if p := pixels[4*i:]; uint32(p[0]) != r>>8 || uint32(p[1]) != g>>8 || uint32(p[2]) != b>>8 {
			t.Fatalf("pixel %d is %v, want %v", i, p[:4], want.At(i%96, i/96))
		}
	}
}

// FuzzCall: no request makes a method panic.
func FuzzCall(f *testing.F) {
	f.Add("eval", `{"isa":"gcn","text":"v_add_f32 v0, v1, v2","state":"v1=1.5,2 global:0=hex:00"}`)
	f.Add("list", `{"isa":"guess","text":"00000081bf"}`)
	f.Add("show", `{"type":"f16","bits":32,"hex":["0"]}`)
	f.Fuzz(func(t *testing.T, method, request string) {
		if method == "draw" {
			return // programs may run as long as they are allowed to
		}
		answer := web.Call(context.Background(), method, []byte(request))
		if !json.Valid(answer) || bytes.Contains(answer, []byte("heddle's own")) {
			t.Errorf("%s %s: %s", method, request, answer)
		}
	})
}
