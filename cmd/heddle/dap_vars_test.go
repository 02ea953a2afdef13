package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// varsLaunch returns a launch of a code object of srcinfo/testdata: in[i] is i, n is 64, scale is (0.5, 1, 2, 3).
func varsLaunch(t *testing.T, name string) obj {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "srcinfo", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return obj{"program": path, "grid": 64, "block": 64, "args": []string{"f32:iota:64", "out=zero:256", "u32:64", "hex:0000003f0000803f0000004000004040"}}
}

// TestDapVariables: variables of the source, by the formulas of srcinfo/testdata/vars.cl in lane 0: it.id is -3, sum is
// 0.5*(0+1+2+3) = 3, n is 64.
func TestDapVariables(t *testing.T) {
	c := dapSession(t)
	launch := varsLaunch(t, "vars.clang14.O0.hsaco")
	launch["lanes"] = "threads"
	c.begin(launch)
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{{"name": "vars.cl:29", "condition": "sum > 0"}}})
	c.goes("continue", obj{})
	f := c.frame(1 << 6)
	locals := c.ask("variables", obj{"variablesReference": c.scope(f, "Locals")})["variables"].([]any)
	got := map[string]obj{}
	for _, v := range locals {
		got[v.(obj)["name"].(string)] = v.(obj)
	}
	for name, want := range map[string]string{"l": "0", "sum": "3", "steps": "{0, 0, 0, 0}", "tile": "<optimised out>", "it": "{id = -3, w = 0, tag = {97, 0, 0, 0}}"} {
		if got[name]["value"] != want {
			t.Errorf("%s is %v, want %s", name, got[name]["value"], want)
		}
	}
	it := c.variables(got["it"]["variablesReference"])
	if it["w"]["type"] != "float" || it["id"]["evaluateName"] != "it.id" {
		t.Errorf("parts of it: %v", it)
	}
	for expr, want := range map[string]string{"n": "64", "in[3]": "3", "scale.y": "1", "it.id": "-3", "l + n": "64", "table": "{1.5, 2.5, 3.5, 4.5}"} {
		if v := c.value(expr); v != want {
			t.Errorf("%s is %s, want %s", expr, v, want)
		}
	}
	c.ask("setVariable", obj{"variablesReference": got["it"]["variablesReference"], "name": "id", "value": "9"})
	if v := c.value("it.id"); v != "9" {
		t.Errorf("it.id is %s after it was set", v)
	}
	id := c.ask("dataBreakpointInfo", obj{"name": "in[0]"})["dataId"]
	if id == nil {
		t.Error("in[0] cannot be watched")
	}
	args := c.variables(c.scope(f, "Arguments"))
	if args["out"]["type"] != "float *" {
		t.Errorf("arguments %v", args)
	}
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{}})
	c.end()
}

// TestDapOrigin: at line 23 of srcinfo/testdata/vars.cl the loop has first set steps[0] and not steps[1], in scratch.
func TestDapOrigin(t *testing.T) {
	c := dapSession(t)
	launch := varsLaunch(t, "vars.clang14.O0.hsaco")
	launch["flags"] = []string{"--sanitize=init"}
	c.begin(launch)
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{{"name": "vars.cl:23"}}})
	c.goes("continue", obj{})
	const want = "steps[1]: bits 0 to 31 are undefined, from global memory at "
	if v := c.value("origin steps[1]"); !strings.HasPrefix(v, want) || !strings.HasSuffix(v, ", which has not been written") {
		t.Errorf("origin steps[1]: %s", v)
	}
	if e := c.refused("evaluate", obj{"expression": "origin steps[0]"}); !strings.Contains(e, "all bits of steps[0] are defined") {
		t.Errorf("origin steps[0]: %s", e)
	}
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{}})
	c.end()
}

// TestDapReadOnly: launches over TCP write no files and start no compiler.
func TestDapReadOnly(t *testing.T) {
	a := newApp(t.Context(), strings.NewReader(""), nil, nil)
	a.readOnly = true
	for _, flags := range [][]string{{"--out=out=x.bin"}, {"--png=out=x.png:8x8"}, {"--plot=out:x.png"}, {"--sanitize", "--report=json:x"}, {"--sanitize", "--write-baseline=x"}} {
		words := append(append([]string{"step"}, flags...), "--", "x.hsaco")
		if _, err := a.parsed(words, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "--allow-write") {
			t.Errorf("%s: %v", flags, err)
		}
	}
	if _, err := a.parsed([]string{"step", "--", "x.cl"}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "start clang") {
		t.Errorf("x.cl: %v", err)
	}
	if err := a.save(filepath.Join(t.TempDir(), "x"), nil); err == nil {
		t.Error("a file is written")
	}
}
