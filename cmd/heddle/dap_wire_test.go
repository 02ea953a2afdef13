package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/heddle-gpu/heddle/internal/dap"
)

// says checks that a request is rejected with a text.
func (c *dapClient) says(want, command string, args any) {
	c.t.Helper()
	if got := c.refused(command, args); !strings.Contains(got, want) {
		c.t.Errorf("%s %v: %q, want %q", command, args, got, want)
	}
}

// TestDapOrder: requests in the wrong order, unknown ones, wrong arguments, numbers and messages give an error that
// says what is wrong, and the session continues.
func TestDapOrder(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	refused := c.says
	refused("initialize comes first", "launch", obj{"program": path})
	refused("initialize comes first", "threads", nil)
	c.ask("initialize", obj{"adapterID": "heddle"})
	refused("initialized before", "initialize", obj{"adapterID": "heddle"})
	refused("launch comes first", "continue", obj{"threadId": 1})
	refused("launch comes first", "configurationDone", nil)
	refused("launch begins one", "attach", obj{})
	refused("not supported", "stepInTargets", obj{"frameId": 1})
	refused("not supported", "frobnicate", obj{})
	refused("no \"program\"", "launch", obj{})
	refused("\"lanes\" is", "launch", obj{"program": path, "lanes": "x"})
	refused("is no size", "launch", obj{"program": path, "grid": []int{1, 2, 3, 4}})
	refused("unknown flag --frob", "launch", obj{"program": path, "flags": []string{"--frob"}})
	refused("are no flags of a launch", "launch", obj{"program": path, "flags": []string{"--help"}})
	refused("--timeout", "launch", obj{"program": path, "flags": []string{"--timeout=1s"}})
	refused("--json", "launch", obj{"program": path, "flags": []string{"--json"}})
	refused("nowhere", "launch", obj{"program": "/nowhere/at/all.s", "grid": 64, "block": 64})
	refused("--grid and --block are needed", "launch", obj{"program": path})
	refused("frob", "launch", obj{"program": writeText(t, "bad.s", ".isa gcn:gfx8\nfrob\n"), "grid": 64, "block": 64})
	c.raw(`{"seq": 1, "type": "request", "command": "launch", "arguments": [1]}`)
	c.raw(`[]`)
	c.raw(`{"type": "response", "request_seq": 1}`)
	c.raw(`what`)
	c.seq = 100
	c.ask("launch", obj{"program": path, "grid": 64, "block": 64, "stopOnEntry": true})
	c.event("initialized")
	c.ask("configurationDone", nil)
	c.event("stopped")
	refused("launched before", "launch", obj{"program": path})
	refused("has gone on before", "configurationDone", nil)
	seq := c.send("cancel", obj{"requestId": 4711})
	c.answer(seq)
	c.end()
}

// TestDapNumbers: numbers without an object, and values of expressions, by hand.
func TestDapNumbers(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	refused := c.says
	refused("no thread 99", "stackTrace", obj{"threadId": 99})
	refused("no thread -1", "next", obj{"threadId": -1})
	refused("no frame 7", "scopes", obj{"frameId": 7})
	refused("no variables", "variables", obj{"variablesReference": 1 << 30})
	refused("no variable", "setVariable", obj{"variablesReference": c.scope(c.frame(1), "Wave"), "name": "x", "value": "1"})
	refused("cannot be changed", "setVariable", obj{"variablesReference": c.scope(c.frame(1), "Wave"), "name": "live", "value": "1"})
	refused("instructions; want", "disassemble", obj{"memoryReference": "0x0", "instructionCount": 1 << 40})
	refused("no such program", "disassemble", obj{"memoryReference": "0xffffffffffffffff", "instructionCount": 1})
	refused("no reference to an instruction", "disassemble", obj{"memoryReference": "global:0", "instructionCount": 1})
	refused("no source", "source", obj{"sourceReference": 44})
	refused("no target 3", "goto", obj{"threadId": 1, "targetId": 3})
	refused("no filter", "setExceptionBreakpoints", obj{"filters": []string{"x"}})
	refused("the limit is", "setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": make([]obj, 5000)})
	for expr, want := range map[string]string{"": "ends where", "1 +": "ends where", "v0[64]": "no lane 64", "v0[": "without ]", "(1": "without )", "1/0": "division by zero", "q": "q", "s0[1]": "one for all lanes",
		"global[0]": "nothing at", "f32": "f32", "foo(1)": "no type", "1 2": "more than an expression", strings.Repeat("(", 100): "nested", strings.Repeat("-", 100) + "1": "nested"} {
		refused(want, "evaluate", obj{"expression": expr})
	}
	for expr, want := range map[string]string{"1 + 2 * 3": "7", "0x10 | 1": "17", "-1": "-1", "1.5 * 2": "3", "u8(300)": "44", "i8(255)": "-1", "f32(1)": "1", "f16(65504.0)": "65504", "1 << 4 >> 2": "4",
		"!0 && 2 > 1 || 1/0": "1", "~0": "-1", "v0[5] % 4 == 1": "1", "any(v0 == 63)": "1", "all(v0 < 63)": "0", "(1 + 2) * 3": "9", "lanes": "64", "1e3 == 1000": "1", "u32(-1) > 0": "1"} {
		if got := c.value(expr); got != want {
			t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
	c.end()
}

// TestDapListing: the program as instructions, text, modules and sources.
func TestDapListing(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	// An answer has as many instructions as requested, including those before the first and after the last.
	list := c.ask("disassemble", obj{"memoryReference": "0x0", "instructionOffset": -2, "instructionCount": 14, "resolveSymbols": true})["instructions"].([]any)
	if len(list) != 14 || list[1].(obj)["instruction"] != "(no code)" || list[2].(obj)["symbol"] != "start" || list[2].(obj)["instruction"] != "s_mov_b32 s10, 5" ||
		list[2].(obj)["instructionBytes"] != "85 00 8a be" || list[2].(obj)["line"] != float64(3) || list[12].(obj)["instruction"] != "(no code)" {
		t.Errorf("%v", list)
	}
	if text := c.ask("source", obj{"sourceReference": 1})["content"].(string); !strings.Contains(text, "loop:\n\t0x00000c  s_sub_u32 s11, s11, 6\n") {
		t.Errorf("%s", text)
	}
	if n := len(c.ask("loadedSources", nil)["sources"].([]any)); n != 2 { // the text, and the listing
		t.Errorf("%d sources", n)
	}
	if m := c.ask("modules", obj{})["modules"].([]any); len(m) != 1 || m[0].(obj)["name"] != "turns" {
		t.Errorf("%v", m)
	}
	if l := c.ask("breakpointLocations", obj{"source": obj{"path": path}, "line": 1, "endLine": 6})["breakpoints"].([]any); len(l) != 3 {
		t.Errorf("%v", l)
	}
	c.completes(7)
	c.end()
}

// completes requests the completions of s1 in a longer text, where column is after s1.
func (c *dapClient) completes(column int) {
	c.t.Helper()
	if l := fmt.Sprint(c.ask("completions", obj{"text": "1 + s1 + v2", "column": column})["targets"]); !strings.Contains(l, "label:s10") || !strings.Contains(l, "label:s11") || strings.Contains(l, "label:v1") || strings.Contains(l, "label:s2") {
		c.t.Errorf("column %d: %v", column, l)
	}
}

// TestDapLines: a client that counts from 0, breakpoints in a listing, a run that stops before its end.
func TestDapLines(t *testing.T) {
	c := dapSession(t)
	path := writeText(t, "turns.s", loopText)
	c.ask("initialize", obj{"adapterID": "heddle", "linesStartAt1": false, "columnsStartAt1": false})
	c.ask("launch", obj{"program": path, "grid": 64, "block": 64, "stopOnExit": true})
	c.event("initialized")
	if b := c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": []obj{{"line": 2}}})["breakpoints"].([]any)[0].(obj); b["line"] != float64(2) {
		t.Errorf("%v", b)
	}
	c.ask("configurationDone", nil)
	if e := c.event("stopped"); e["reason"] != "breakpoint" || c.number("position") != 0 || c.frame(1)["line"] != float64(2) {
		t.Errorf("a breakpoint at the first instruction: %v", e)
	}
	c.completes(6)
	text := c.ask("source", obj{"sourceReference": 1})["content"].(string)
	line := strings.Count(text[:strings.Index(text, "v_cvt_f32_u32")], "\n")
	b := c.ask("setBreakpoints", obj{"source": obj{"sourceReference": 1}, "breakpoints": []obj{{"line": line}, {"line": 99}}})["breakpoints"].([]any)
	if b[0].(obj)["verified"] != true || b[0].(obj)["line"] != float64(line) || b[1].(obj)["verified"] != false {
		t.Errorf("%v", b)
	}
	if e := c.goes("continue", obj{}); e["reason"] != "breakpoint" || c.frame(1)["line"] != float64(9) {
		t.Errorf("%v: %v", e, c.frame(1))
	}
	if e := c.goes("continue", obj{}); e["reason"] != "exit" || c.frame(1)["line"] != float64(11) {
		t.Errorf("%v: %v", e, c.frame(1))
	}
	c.goes("stepBack", obj{})
	if c.end() != 0 {
		t.Error(c.said)
	}
}

// TestDapProcess: the command itself, over standard input and output, and listening for one client after another.
func TestDapProcess(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	cmd := exec.CommandContext(t.Context(), "heddle", "dap")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	dapWhole(t, &dapClient{t: t, in: bufio.NewReader(out), out: in, got: make(chan obj, 1<<14)}, path)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	cmd = exec.CommandContext(t.Context(), "heddle", "dap", "--listen", "localhost:0")
	says, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(says).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(said), "heddle: listening on ")
	if err != nil || !ok {
		t.Fatalf("%q, %v", said, err)
	}
	for range 2 {
		conn, err := net.DialTimeout("tcp", addr, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		dapWhole(t, &dapClient{t: t, in: bufio.NewReader(conn), out: conn, got: make(chan obj, 1<<14)}, path)
		conn.Close()
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // it was killed
}

// dapWhole is a complete session.
func dapWhole(t *testing.T, c *dapClient, path string) {
	t.Helper()
	go c.read()
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	c.goes("next", obj{})
	if got := c.number("s10"); got != 5 {
		t.Errorf("s10 is %v", got)
	}
	c.ask("continue", obj{"threadId": 1})
	if code := c.event("exited")["exitCode"]; code != float64(0) {
		t.Errorf("exit code %v", code)
	}
	c.event("terminated")
	c.ask("disconnect", nil)
}

// FuzzDap: the adapter answers anything that a client sends, and ends with the connection.
func FuzzDap(f *testing.F) {
	path := f.TempDir() + "/turns.s"
	if err := os.WriteFile(path, []byte(loopText), 0o644); err != nil {
		f.Fatal(err)
	}
	head := []string{`{"command":"initialize","arguments":{"adapterID":"x"}}`, fmt.Sprintf(`{"command":"launch","arguments":{"program":%q,"grid":64,"block":64,"stopOnEntry":true}}`, path)}
	for _, text := range []string{
		`{"command":"configurationDone"}` + "\n" + `{"command":"next","arguments":{"threadId":1}}` + "\n" + `{"command":"evaluate","arguments":{"expression":"f32(v0[3])+global[0x10]"}}`,
		`{"command":"setBreakpoints","arguments":{"source":{"path":"turns.s"},"breakpoints":[{"line":7,"hitCondition":"%2","logMessage":"{s11}"}]}}` + "\n" + `{"command":"continue","arguments":{"threadId":1}}`,
		`{"command":"readMemory","arguments":{"memoryReference":"global:0x100000000","offset":-9,"count":99}}` + "\n" + `{"command":"disassemble","arguments":{"memoryReference":"0x4","offset":-8,"instructionOffset":-3,"instructionCount":9}}`,
		`{"command":"stackTrace","arguments":{"threadId":1}}` + "\n" + `{"command":"scopes","arguments":{"frameId":1}}` + "\n" + `{"command":"variables","arguments":{"variablesReference":3,"start":-1,"count":-1}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "program") || strings.Contains(text, "cwd") { // no other files
			return
		}
		var in bytes.Buffer
		for i, m := range append(append([]string{}, head...), strings.Split(text, "\n")...) {
			var v map[string]any
			if json.Unmarshal([]byte(m), &v) == nil && v != nil {
				v["seq"], v["type"] = i+1, "request"
				if data, err := json.Marshal(v); err == nil {
					m = string(data)
				}
			}
			fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		a := newApp(t.Context(), os.Stdin, os.Stdout, os.Stderr)
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
		defer stop()
		var out bytes.Buffer
		if err := dap.Serve(ctx, &in, &out, a.launches); ctx.Err() != nil {
			t.Errorf("it does not end: %v", err)
		}
	})
}
