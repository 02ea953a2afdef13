package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// loopText is a loop that subtracts 6 from 13 until 1 is left, two iterations, with lanes that hold 5 more than their
// number. Lines count from 1.
const loopText = `.isa gcn:gfx8
start:
	s_mov_b32 s10, 5
	s_mov_b32 s11, 13
	v_add_u32 v1, vcc, s10, v0
loop:
	s_sub_u32 s11, s11, 6
	s_cmp_lg_u32 s11, 1
	s_cbranch_scc1 loop
	v_cvt_f32_u32 v2, v1
	v_mul_f32 v3, 0.5, v2
	s_endpgm
`

// callText calls a function twice.
const callText = `.isa gcn:gfx8
	s_getpc_b64 s[0:1]
	s_add_u32 s0, s0, 24
	s_addc_u32 s1, s1, 0
	s_swappc_b64 s[2:3], s[0:1]
	s_swappc_b64 s[2:3], s[0:1]
	s_endpgm
	s_nop 0
double:
	v_add_u32 v0, vcc, v0, v0
	s_setpc_b64 s[2:3]
`

func writeText(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A dapRun is a run of an instruction set: where it stops, and the values of lanes there, by a formula.
type dapRun struct {
	set    string
	launch obj
	file   string // of the breakpoint
	line   int
	same   map[string]func(lane int) float64 // by register, with # for the lane
	code   float64
}

func dapRuns(t *testing.T) []dapRun {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	in := func(path string) string { return filepath.Join(root, "examples", path) }
	loop := writeText(t, "turns.s", loopText)
	lane := func(lane int) float64 { return float64(lane) }
	const is = 0
	return []dapRun{
		{"gcn", obj{"program": loop, "grid": 64, "block": 64}, loop, 10, map[string]func(int) float64{"v1[#]": func(l int) float64 { return float64(5 + l) },
			"s11": func(int) float64 { return 1 }}, is},
		{"tesla", obj{"program": in("scan/scan.s"), "grid": "256", "block": []int{256, 1}, "flags": []string{"--lds=1040"},
			"args": []string{"buf:" + in("scan/in.in.bin"), "sums=zero:1024"}}, in("scan/scan.s"), 9,
			map[string]func(int) float64{"$r0[#]": lane, "$r1[#]": lane, "$r2[#]": func(int) float64 { return 256 }}, is},
		{"valhall", obj{"program": in("transpose")}, in("transpose/transpose.s"), 9,
			map[string]func(int) float64{"r0[#]": lane, "r1[#]": func(int) float64 { return 0 }, "r2[#]": func(int) float64 { return 17 }}, is},
		{"rogue", obj{"program": in("over/over.s"), "grid": 96, "block": 96, "args": []string{"zero:384", "zero:384", "out=zero:384", "u32:96"}}, in("over/over.s"), 7,
			map[string]func(int) float64{"r0[#]": lane, "r2[#] - sh0": func(l int) float64 { return float64(4 * l) }}, is},
		{"attila", obj{"program": in("cube")}, in("cube/cube.fs.s"), 8,
			map[string]func(int) float64{"f32(r1.x[#])*f32(r1.x[#]) + f32(r1.y[#])*f32(r1.y[#]) + f32(r1.z[#])*f32(r1.z[#])": func(int) float64 { return 1 }}, is},
	}
}

// TestDapSets: all instruction sets stop at a line with the values of the formula, step, and go back to the same state
// in every register.
func TestDapSets(t *testing.T) {
	for _, r := range dapRuns(t) {
		t.Run(r.set, func(t *testing.T) {
			t.Parallel()
			c := dapSession(t)
			c.begin(r.launch)
			b := c.ask("setBreakpoints", obj{"source": obj{"path": r.file}, "breakpoints": []obj{{"line": r.line}}})["breakpoints"].([]any)[0].(obj)
			e := c.goes("continue", obj{})
			if e["reason"] != "breakpoint" || e["hitBreakpointIds"].([]any)[0] != b["id"] {
				t.Fatalf("stopped: %v, breakpoint %v", e, b)
			}
			if b["verified"] == false { // its code was loaded later
				if e := c.ask("setBreakpoints", obj{"source": obj{"path": r.file}, "breakpoints": []obj{{"line": r.line}}}); e["breakpoints"].([]any)[0].(obj)["verified"] != true {
					t.Errorf("not verified: %v", e)
				}
			}
			thread := e["threadId"]
			f := c.frame(thread)
			if f["line"] != float64(r.line) || f["source"].(obj)["path"] != r.file {
				t.Errorf("frame %v", f)
			}
			if names := c.variables(c.scope(f, "Instruction")); len(names) == 0 {
				t.Error("no locals")
			}
			for expr, want := range r.same {
				for _, lane := range []int{0, 1, 3} {
					x := strings.ReplaceAll(expr, "#", fmt.Sprint(lane))
					if got := c.number(x); math.Abs(got-want(lane)) > 1e-5 {
						t.Errorf("%s is %v, want %v", x, got, want(lane))
					}
				}
			}
			before := c.state(thread)
			if e := c.goes("next", obj{"threadId": thread}); e["threadId"] != thread {
				t.Errorf("a step goes to %v", e)
			}
			if after := c.state(thread); after == before {
				t.Error("a step changes nothing")
			}
			c.goes("stepBack", obj{"threadId": thread})
			if got := c.state(thread); got != before {
				t.Errorf("back:\n%s\nwant\n%s", got, before)
			}
			c.goes("next", obj{"threadId": thread})
			if e := c.goes("reverseContinue", obj{"threadId": thread}); e["reason"] != "breakpoint" || c.state(thread) != before {
				t.Errorf("reverse: %v", e)
			}
			c.ask("setBreakpoints", obj{"source": obj{"path": r.file}, "breakpoints": []obj{}})
			if code := c.end(); code != r.code {
				t.Errorf("exit code %v: %s", code, c.said)
			}
		})
	}
}

// again restarts a run.
func (c *dapClient) again() {
	c.t.Helper()
	c.ask("restart", nil)
	if e := c.event("stopped"); e["reason"] != "entry" || c.number("position") != 0 {
		c.t.Errorf("restarted: %v", e)
	}
}

// TestDapBreakpoints: hits, conditions, log points, names, instructions, and invalid breakpoints. By hand: s11 is 13
// and 7 at the loop.
func TestDapBreakpoints(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	set := func(b ...obj) []any {
		return c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": b})["breakpoints"].([]any)
	}
	list := set(obj{"line": 6}, obj{"line": 99}, obj{"line": 7, "condition": "s11 =="}, obj{"line": 7, "hitCondition": "x"})
	if b := list[0].(obj); b["verified"] != true || b["line"] != float64(7) { // a label has no code; the next line has
		t.Errorf("%v", b)
	}
	for i, want := range []string{1: "no code at this line", 2: "condition: the expression ends", 3: "hit condition: want a number"} {
		if b := list[i].(obj); want != "" && (b["verified"] != false || !strings.Contains(fmt.Sprint(b["message"]), want)) {
			t.Errorf("breakpoint %d: %v; want %s", i, b, want)
		}
	}
	for _, x := range []struct {
		b    obj
		want float64 // of s11
		at   float64 // position: number of started instructions
	}{
		{obj{"line": 7}, 13, 3}, {obj{"line": 7, "hitCondition": "2"}, 7, 6}, {obj{"line": 7, "hitCondition": ">1"}, 7, 6}, {obj{"line": 7, "condition": "s11 == 7"}, 7, 6}, {obj{"line": 7, "condition": "v1[99] == 7"}, 13, 3},
		{obj{"line": 7, "condition": "v1[99] == 7", "hitCondition": "2"}, 7, 6},
		{obj{"line": 7, "condition": "s11 < 10 && v1[63] == 68"}, 7, 6}, {obj{"line": 9, "condition": "any(v1 == 9) && all(v1 > 4)", "hitCondition": "%2"}, 1, 8},
	} {
		set(x.b)
		if e := c.goes("continue", obj{}); c.number("s11") != x.want || c.number("position") != x.at {
			t.Errorf("%v: %v: s11 is %v at position %v", x.b, e, c.value("s11"), c.value("position"))
		}
		c.again()
	}
	set(obj{"line": 7, "logMessage": `s11 is {s11}, \{v1[2]\} {v1[2] * 2}`}, obj{"line": 12})
	c.goes("continue", obj{})
	if want := "s11 is 13, {v1[2]} 14\ns11 is 7, {v1[2]} 14\n"; !strings.Contains(c.said, want) {
		t.Errorf("said %q, want %q", c.said, want)
	}
	// Registers have the types of the instructions: v2 and v3 are f32, v1 is u32.
	if v := c.ask("evaluate", obj{"expression": "v3[3]"}); v["result"] != "4" || v["type"] != "f32" {
		t.Errorf("v3[3] is %v", v)
	}
	if v := c.ask("evaluate", obj{"expression": "v3[3]", "format": obj{"hex": true}}); v["result"] != fmt.Sprintf("%#x", math.Float32bits(4)) {
		t.Errorf("v3[3] is %v", v)
	}
	c.end()
}

// TestDapNames: breakpoints at names and instructions.
func TestDapNames(t *testing.T) {
	c := dapSession(t)
	c.begin(obj{"program": writeText(t, "turns.s", loopText), "grid": 64, "block": 64})
	list := c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{{"name": "loop"}, {"name": "s_cmp_lg_u32"}, {"name": "lop"}}})["breakpoints"].([]any)
	if !strings.Contains(fmt.Sprint(list[2]), "the nearest symbol is loop") {
		t.Errorf("%v", list[2])
	}
	if e := c.goes("continue", obj{}); e["reason"] != "function breakpoint" || c.number("position") != 3 {
		t.Errorf("%v", e)
	}
	c.goes("continue", obj{})
	at := c.frame(1)["instructionPointerReference"]
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{}})
	list = c.ask("setInstructionBreakpoints", obj{"breakpoints": []obj{{"instructionReference": at, "offset": 4}, {"instructionReference": at, "offset": 1}, {"instructionReference": "zz"}}})["breakpoints"].([]any)
	if list[0].(obj)["verified"] != true || list[1].(obj)["verified"] != false || list[2].(obj)["verified"] != false {
		t.Errorf("%v", list)
	}
	if e := c.goes("continue", obj{}); e["reason"] != "instruction breakpoint" || c.frame(1)["line"] != float64(9) {
		t.Errorf("%v", e)
	}
	c.ask("setInstructionBreakpoints", obj{"breakpoints": []obj{}})
	if code := c.end(); code != 0 {
		t.Errorf("exit code %v: %s", code, c.said)
	}
}

// TestDapWatches: a change of a register or memory stops the run after the instruction, with both values, forwards and
// back.
func TestDapWatches(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	f := c.frame(1)
	info := func(a obj) any { return c.ask("dataBreakpointInfo", a)["dataId"] }
	id := info(obj{"name": "s11", "frameId": f["id"]})
	if info(obj{"name": "s10 + 1"}) != nil || info(obj{"name": "pc", "variablesReference": c.scope(f, "Wave")}) != nil {
		t.Error("what is no register is watched")
	}
	list := c.ask("setDataBreakpoints", obj{"breakpoints": []obj{{"dataId": id, "accessType": "write"}, {"dataId": "x"}, {"dataId": id, "accessType": "change"}}})["breakpoints"].([]any)
	if list[0].(obj)["verified"] != true || list[1].(obj)["verified"] != false || list[2].(obj)["verified"] != false {
		t.Errorf("%v", list)
	}
	for i, want := range []struct {
		text string
		at   float64
	}{{"s11: 0 -> 13", 2}, {"s11: 13 -> 7", 4}, {"s11: 7 -> 1", 7}} {
		e := c.goes("continue", obj{})
		if e["reason"] != "data breakpoint" || !strings.HasPrefix(e["text"].(string), want.text) || c.number("position") != want.at {
			t.Errorf("stop %d: %v at position %v; want %v", i, e, c.value("position"), want)
		}
	}
	if e := c.goes("reverseContinue", obj{}); !strings.HasPrefix(fmt.Sprint(e["text"]), "s11: 13 -> 7") || c.number("s11") != 7 {
		t.Errorf("back: %v", e)
	}
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{}})
	// Reads: s_cmp_lg_u32 reads s11 and does not change it.
	c.ask("restart", nil)
	c.event("stopped")
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{{"dataId": info(obj{"name": "s11"}), "accessType": "read"}}})
	for i, want := range []string{"s11 = 13 read by s_sub_u32", "s11 = 7 read by s_cmp_lg_u32"} {
		if e := c.goes("continue", obj{}); !strings.HasPrefix(fmt.Sprint(e["text"]), want) {
			t.Errorf("read %d: %v; want %s", i, e, want)
		}
	}
	c.ask("restart", nil)
	c.event("stopped")
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{{"dataId": info(obj{"name": "s11"}), "accessType": "readWrite"}}})
	for i, want := range []string{"s11: 0 -> 13", "s11: 13 -> 7", "s11 = 7 used by s_cmp_lg_u32", "s11: 7 -> 1"} {
		if e := c.goes("continue", obj{}); !strings.HasPrefix(fmt.Sprint(e["text"]), want) {
			t.Errorf("use %d: %v; want %s", i, e, want)
		}
	}
	// One lane of a vector register: lane 3 gets 8.
	c.ask("restart", nil)
	c.event("stopped")
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{{"dataId": info(obj{"name": "v1[3]"})}}})
	if e := c.goes("continue", obj{}); !strings.Contains(fmt.Sprint(e["text"]), ": 0 -> 8") {
		t.Errorf("%v", e)
	}
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{}})
	c.end()
}

// TestDapMemory: memory is read, watched and written; a write changes the result. By hand: y = 2 x.
func TestDapMemory(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "examples/saxpy")
	c := dapSession(t)
	c.begin(obj{"program": filepath.Join(dir, "saxpy.gfx803.s"), "grid": 256, "block": 64, "args": []string{"y=zero:1024", "x=buf:" + dir + "/x.in.bin", "f32:2", "u32:256"},
		"flags": []string{"--print=y[2:4]"}})
	vars := c.variables(c.scope(c.frame(1), "Memory"))
	x, y := vars["global x"]["memoryReference"], vars["global y"]["memoryReference"]
	data, err := os.ReadFile(filepath.Join(dir, "x.in.bin"))
	if err != nil {
		t.Fatal(err)
	}
	r := c.ask("readMemory", obj{"memoryReference": x, "offset": 8, "count": 8})
	if got, err := base64.StdEncoding.DecodeString(r["data"].(string)); err != nil || string(got) != string(data[8:16]) {
		t.Errorf("x[2:4] is % x, want % x", got, data[8:16])
	}
	if r := c.ask("readMemory", obj{"memoryReference": x, "offset": 1020, "count": 100}); r["unreadableBytes"] != float64(96) {
		t.Errorf("beyond the end: %v", r)
	}
	new := base64.StdEncoding.EncodeToString(binary.LittleEndian.AppendUint32(nil, math.Float32bits(21)))
	if r := c.ask("writeMemory", obj{"memoryReference": x, "offset": 8, "data": new}); r["bytesWritten"] != float64(4) {
		t.Errorf("written: %v", r)
	}
	word := strings.Replace(fmt.Sprint(x), ":", "[", 1) + " + 8]"
	if got := c.value("f32(" + word + ")"); got != "21" {
		t.Errorf("%s is %s", word, got)
	}
	for _, a := range []obj{{"memoryReference": "what:1", "count": 4}, {"memoryReference": "global:0x7", "count": 4}, {"memoryReference": x, "count": 1 << 30}, {"memoryReference": x, "count": -1}} {
		c.refused("readMemory", a)
	}
	c.refused("writeMemory", obj{"memoryReference": x, "offset": 1022, "data": new})
	c.refused("writeMemory", obj{"memoryReference": x, "data": "%"})
	place := strings.Replace(fmt.Sprint(y), ":", "[", 1) + "+8]"
	id := c.ask("dataBreakpointInfo", obj{"name": place})["dataId"]
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{{"dataId": id}}})
	e := c.goes("continue", obj{})
	if e["reason"] != "data breakpoint" || !strings.Contains(e["text"].(string), fmt.Sprintf("0 -> %d (%#x)", math.Float32bits(42), math.Float32bits(42))) ||
		!strings.Contains(e["text"].(string), "store_dword") {
		t.Errorf("%v", e)
	}
	// After going back to the start and forwards again the change is still there.
	c.goes("reverseContinue", obj{})
	if c.number("position") != 0 || c.value("f32("+word+")") != "21" {
		t.Errorf("at the beginning %s is %s", word, c.value("f32("+word+")"))
	}
	c.ask("setDataBreakpoints", obj{"breakpoints": []obj{}})
	third := math.Float32frombits(binary.LittleEndian.Uint32(data[12:]))
	if code := c.end(); code != 0 || !slices.Contains(strings.Split(c.said, "\n"), fmt.Sprintf("    [2]  42  %2v", 2*third)) {
		t.Errorf("exit code %v: %s", code, c.said)
	}
}

// typesText uses registers as numbers of several types; v7 is set by the test.
const typesText = `.isa gcn:gfx8
	v_cvt_f64_u32 v[2:3], v0
	v_add_f64 v[4:5], v[2:3], 0.5
	v_cvt_f16_f32 v6, v7
	v_add_f16 v8, v6, v6
	v_cvt_i32_f32 v9, v7
	v_max_i32 v10, v9, -3
	s_endpgm
`

// TestDapTypes: registers have the type in which instructions use them. By hand: v7 is -2.5.
func TestDapTypes(t *testing.T) {
	path := writeText(t, "types.s", typesText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	vectors := c.scope(c.frame(1), "Vector registers")
	if v := c.ask("setVariable", obj{"variablesReference": vectors, "name": "v7", "value": "-2.5"}); v["value"] != "-2.5" || v["type"] != "f32" {
		t.Errorf("v7 is %v", v)
	}
	c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": []obj{{"line": 8}}})
	c.goes("continue", obj{})
	for expr, want := range map[string][2]string{"v[4:5][3]": {"3.5", "f64"}, "v[2:3][63]": {"63", "f64"}, "v6[1]": {"-2.5", "f16"}, "v8[63]": {"-5", "f16"}, "v9[0]": {"-2", "i32"}, "v10[9]": {"-2", "i32"}, "v0[9]": {"9", "u32"},
		"f64(v[4:5]) == lane + 0.5": {"1", "i64"}, "i32(v9) < 0": {"1", "i64"}, "v7 == -2.5": {"1", "i64"}} {
		if r := c.ask("evaluate", obj{"expression": expr}); r["result"] != want[0] || r["type"] != want[1] {
			t.Errorf("%s is %v, want %v", expr, r, want)
		}
	}
	lanes := c.variables(c.scope(c.frame(1), "Lanes"))
	if l := lanes["lane 5"]; l["value"] != "runs" || c.variables(l["variablesReference"])["v7"]["value"] != fmt.Sprintf("%#x", math.Float32bits(-2.5)) {
		t.Errorf("lane 5: %v", l)
	}
	c.end()
}
