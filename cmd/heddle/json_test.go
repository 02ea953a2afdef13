//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestContract: every command has --json, and --help with an example that names it.
func TestContract(t *testing.T) {
	parser, err := kong.New(&cli{}, kong.Name("heddle"), helpVars())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(parser.Model.Children); n < 10 {
		t.Errorf("only %d commands", n)
	}
	for _, c := range parser.Model.Children {
		has := false
		for _, f := range c.Flags {
			has = has || f.Name == "json"
		}
		// These print text for people and shells, or a protocol.
		if other := slices.Contains([]string{"help", "completion", "man", "lsp", "dap", "serve"}, c.Name); !has && !other {
			t.Errorf("%s has no --json", c.Name)
		}
		if _, example, ok := strings.Cut(c.Detail, "Example"); !ok || !strings.Contains(example, "heddle "+c.Name) {
			t.Errorf("%s has no example", c.Name)
		}
	}
}

// TestJSON: with --json standard output is exactly one JSON document, for every command and exit code.
func TestJSON(t *testing.T) {
	dir := fixture(t)
	commands := map[string]bool{}
	more := []invocation{
		{"check_failing_json", "check --json wrong.json", ""},
		{"lint_findings_json", "lint --isa gcn --json ones.bin", ""},
		{"asm_errors_json", "asm --isa gcn --json uv.s", ""},
		{"run_fault_json", "run --json --max-steps 100 loop.hsaco --grid 256 --block 256 --arg zero:4 --arg out=zero:4 --arg u32:0", ""},
		{"render_diff_json", pixels + " --json --diff black.png", ""},
	}
	for _, c := range append(more, printing...) {
		if !strings.Contains(c.args, "--json") {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			cmd, stderr := c.prepare(t, dir, "")
			var out bytes.Buffer
			cmd.Stdout = &out
			if code := exitCode(t, cmd.Run()); code > 1 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			d := json.NewDecoder(bytes.NewReader(out.Bytes()))
			var v any
			if err := d.Decode(&v); err != nil {
				t.Fatalf("%v in %s", err, out.Bytes())
			}
			if err := d.Decode(&v); err != io.EOF {
				t.Errorf("more than one document: %v", err)
			}
			switch v.(type) {
			case map[string]any, []any:
			default:
				t.Errorf("%T", v)
			}
		})
		commands[strings.Fields(c.args)[0]] = true
	}
	if len(commands) < 10 {
		t.Errorf("only %v", commands)
	}
}

// TestInstJSON: an instruction is written without reflection as package json writes it.
func TestInstJSON(t *testing.T) {
	goal := uint64(1 << 63)
	texts := []string{"", "v_nop", `a"b\c`, "<&>", "ä\x00\x1b[1m\u2028\U000e0001\xff", "\x7f"}
	list := []jsonInst{{}, {Labels: texts[1:3], From: []uint64{1, 1 << 60}, Target: &goal, SourceLine: -1, SourceCol: 7}}
	for _, s := range texts {
		list = append(list, jsonInst{Addr: goal, Hex: s, Labels: []string{s}, From: []uint64{0}, Text: s, Symbol: s, SourceFile: s, SourcePath: s, Error: s, Code: s})
	}
	for _, i := range list {
		want, err := oneLine(i)
		if got := i.append(nil); err != nil || string(got) != string(want) {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
	}
}
