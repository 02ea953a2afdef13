package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestDapBarrier: a step over a barrier lets all waves of the workgroup reach it, and stops in the same wave after it.
func TestDapBarrier(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	c := dapSession(t)
	c.begin(obj{"program": filepath.Join(root, "examples/reduction")})
	if n := len(c.ask("threads", nil)["threads"].([]any)); n != 4 { // workgroups of 256 work-items in waves of 64
		t.Errorf("%d threads", n)
	}
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{{"name": "s_barrier"}}})
	c.goes("continue", obj{})
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{}})
	before, at := c.state(1), c.number("pc")
	if e := c.goes("next", obj{"granularity": "instruction"}); e["threadId"] != float64(1) || c.number("pc") != at+4 {
		t.Errorf("behind the barrier: %v at %v", e, c.value("pc"))
	}
	for wave := 2; wave <= 4; wave++ { // all were at the barrier, and have not run since
		if got := c.ask("evaluate", obj{"expression": "pc", "frameId": c.frame(wave)["id"]})["result"]; c.numberIn("pc", fmt.Sprint(got)) != at+4 {
			t.Errorf("wave %d is at %v, want %v", wave, got, at+4)
		}
	}
	c.goes("stepBack", obj{"granularity": "instruction"})
	if c.state(1) != before {
		t.Error("back over the barrier it is another state")
	}
	if code := c.end(); code != 0 || !strings.Contains(c.said, "buffer out is as expected") {
		t.Errorf("exit code %v: %s", code, c.said)
	}
}

// TestDapCalls: steps over, into and out of calls; lines and frames. By hand: v0 is doubled twice.
func TestDapCalls(t *testing.T) {
	c := dapSession(t)
	c.begin(obj{"program": writeText(t, "call.s", callText), "grid": 64, "block": 64})
	line := func() float64 { t.Helper(); return c.frame(1)["line"].(float64) }
	for range 3 {
		c.goes("next", obj{})
	}
	if c.goes("next", obj{}); line() != 6 || c.number("v0[3]") != 6 {
		t.Errorf("over the call: line %v, v0[3] is %v", line(), c.value("v0[3]"))
	}
	if c.goes("stepIn", obj{}); line() != 10 {
		t.Errorf("into the call: line %v", line())
	}
	frames := c.ask("stackTrace", obj{"threadId": 1})
	if f := frames["stackFrames"].([]any); len(f) != 2 || f[1].(obj)["line"] != float64(7) || frames["totalFrames"] != float64(2) {
		t.Errorf("frames %v", frames)
	}
	if f := c.ask("stackTrace", obj{"threadId": 1, "startFrame": 1, "levels": 5})["stackFrames"].([]any); len(f) != 1 {
		t.Errorf("frames from the second on: %v", f)
	}
	if c.goes("stepBack", obj{}); line() != 6 {
		t.Errorf("back out of the call: line %v", line())
	}
	c.goes("stepIn", obj{})
	if c.goes("stepOut", obj{}); line() != 7 || c.number("v0[3]") != 12 {
		t.Errorf("out of the call: line %v, v0[3] is %v", line(), c.value("v0[3]"))
	}
	c.end()
}

// TestDapFault: a fault stops before its instruction; after a change that removes the cause, the run continues from
// there.
func TestDapFault(t *testing.T) {
	c := dapSession(t)
	root, err := filepath.Abs("testdata/lines")
	if err != nil {
		t.Fatal(err)
	}
	launch := obj{"program": filepath.Join(root, "add.o"), "grid": 64, "block": 64, "flags": []string{"--buf=z=zero:256", "--print=z:u32[0:4]"}}
	c.begin(launch)
	if e := c.goes("continue", obj{}); e["reason"] != "exception" || !strings.Contains(e["text"].(string), "no segment") {
		t.Errorf("%v", e)
	}
	if f := c.frame(1); f["line"] != float64(11) || !strings.HasSuffix(fmt.Sprint(f["source"].(obj)["path"]), "add.s") {
		t.Errorf("frame %v", f)
	}
	if i := c.ask("exceptionInfo", obj{"threadId": 1}); i["exceptionId"] != "memory access" || !strings.Contains(i["description"].(string), "global store of 4 bytes at 0x0") {
		t.Errorf("%v", i)
	}
	c.goes("stepBack", obj{})
	if at := c.number("position"); at != 1 || c.frame(1)["line"] != float64(10) {
		t.Errorf("back from a fault: position %v", at)
	}
	c.refused("exceptionInfo", obj{"threadId": 1})
	c.goes("continue", obj{})
	f := c.frame(1)
	z := strings.TrimPrefix(fmt.Sprint(c.variables(c.scope(f, "Memory"))["global z"]["memoryReference"]), "global:")
	locals := c.scope(f, "Instruction")
	if v := c.ask("setVariable", obj{"variablesReference": locals, "name": "v[1:2]", "value": z + " + 4 * lane", "format": obj{"hex": true}}); !strings.HasPrefix(fmt.Sprint(v["value"]), "0x") {
		t.Errorf("%v", v)
	}
	if code := c.end(); code != 0 { // all lanes store to one word: the highest lane's value remains
		t.Errorf("exit code %v: %s", code, c.said)
	}
	if !strings.Contains(c.said, "z ") || !strings.Contains(c.said, "changed") {
		t.Errorf("said %s", c.said)
	}
	// Without the filter a fault ends the run.
	c = dapSession(t)
	c.begin(launch)
	c.ask("setExceptionBreakpoints", obj{"filters": []string{}})
	if code := c.end(); code != 1 || !strings.Contains(c.said, "no segment") {
		t.Errorf("exit code %v: %s", code, c.said)
	}
}

// TestDapLanes: each lane is a thread, with its own values and position.
func TestDapLanes(t *testing.T) {
	c := dapSession(t)
	path := writeText(t, "turns.s", loopText)
	e := c.begin(obj{"program": path, "grid": 64, "block": 64, "lanes": "threads"})
	list := c.ask("threads", nil)["threads"].([]any)
	if len(list) != 64 || e["threadId"] != list[0].(obj)["id"] {
		t.Fatalf("%d threads; stopped: %v", len(list), e)
	}
	c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": []obj{{"line": 12}}})
	c.goes("continue", obj{})
	for _, lane := range []int{0, 7, 63} {
		f := c.frame(list[lane].(obj)["id"])
		if v := c.variables(c.scope(f, "Vector registers")); v["v1"]["value"] != fmt.Sprintf("0x%08x", 5+lane) || v["v1"]["variablesReference"] != float64(0) {
			t.Errorf("lane %d: %v", lane, v["v1"])
		}
		if got := c.ask("evaluate", obj{"expression": "v1", "frameId": f["id"]})["result"]; got != fmt.Sprint(5+lane) {
			t.Errorf("lane %d: v1 is %v", lane, got)
		}
	}
	c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": []obj{}})
	c.end()
}

// TestDapChanges: changes of registers and of the position affect the run; going back undoes them. By hand: 7 - 6
// leaves the loop at once.
func TestDapChanges(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64})
	c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": []obj{{"line": 7}}})
	c.goes("continue", obj{})
	if v := c.ask("setExpression", obj{"expression": "s11", "value": "7"}); v["value"] != "7" {
		t.Errorf("%v", v)
	}
	for _, bad := range []string{"", "1.5", "1 << 40", "q9", "0x1ffffffff"} {
		c.refused("setExpression", obj{"expression": "s11", "value": bad})
	}
	c.refused("setExpression", obj{"expression": "s11 + 1", "value": "1"})
	c.ask("setBreakpoints", obj{"source": obj{"path": path}, "breakpoints": []obj{{"line": 10}}})
	if c.goes("continue", obj{}); c.number("position") != 6 || c.number("s11") != 1 {
		t.Errorf("at position %v s11 is %v", c.value("position"), c.value("s11"))
	}
	c.goes("stepBack", obj{}) // over the loop's last instruction, in the changed run
	if c.number("position") != 5 || c.number("s11") != 1 {
		t.Errorf("back: at position %v s11 is %v", c.value("position"), c.value("s11"))
	}
	c.goes("reverseContinue", obj{})
	if !strings.Contains(c.said, "undone: s11") {
		t.Errorf("said %q", c.said)
	}
	c.goes("continue", obj{})
	if c.number("position") != 9 {
		t.Errorf("as it is without the change: position %v", c.value("position"))
	}
	targets := c.ask("gotoTargets", obj{"source": obj{"path": path}, "line": 7})["targets"].([]any)
	if len(targets) != 1 || len(c.ask("gotoTargets", obj{"source": obj{"path": path}, "line": 6})["targets"].([]any)) != 0 {
		t.Fatalf("targets %v", targets)
	}
	if e := c.goes("goto", obj{"targetId": targets[0].(obj)["id"]}); e["reason"] != "goto" {
		t.Errorf("%v", e)
	}
	if c.goes("next", obj{}); c.frame(1)["line"] != float64(8) || int32(c.number("s11")) != -5 && c.number("s11") != 1<<32-5 {
		t.Errorf("from there: line %v, s11 is %v", c.frame(1)["line"], c.value("s11"))
	}
	c.ask("disconnect", nil)
}

// TestDapPause: an endless run can be paused, stepped, paused again, and left.
func TestDapPause(t *testing.T) {
	path := writeText(t, "endless.s", ".isa gcn:gfx8\nagain:\n\ts_add_u32 s0, s0, 1\n\ts_branch again\n")
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 64, "block": 64, "flags": []string{"--max-steps=1000000000000"}})
	for range 2 {
		c.ask("continue", obj{"threadId": 1})
		if text := c.refused("stackTrace", obj{"threadId": 1}); !strings.Contains(text, "pause it first") {
			t.Errorf("while it runs: %s", text)
		}
		time.Sleep(20 * time.Millisecond)
		c.ask("pause", obj{"threadId": 1})
		if e := c.event("stopped"); e["reason"] != "pause" {
			t.Errorf("%v", e)
		}
	}
	at := c.number("position")
	c.goes("stepBack", obj{"granularity": "instruction"})
	if got := c.number("position"); got != at-1 {
		t.Errorf("back from %v is %v", at, got)
	}
	c.ask("continue", obj{"threadId": 1})
	c.ask("terminate", nil)
	c.event("terminated")
	c.ask("disconnect", nil)
	if err := <-c.ended; err != nil {
		t.Error(err)
	}
}
