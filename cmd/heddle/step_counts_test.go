package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// outputOf returns what a command prints, given its standard input.
func outputOf(t *testing.T, in string, words ...string) []byte {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"in": in, "out": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	from, err := os.Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	to, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if code := newApp(t.Context(), from, to, os.Stderr).run(words); code != 0 {
		t.Fatalf("%v: exit code %d", words, code)
	}
	text, err := os.ReadFile(to.Name())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestStepCounts: at the end of a session the counts are those of a profile, instruction by instruction.
func TestStepCounts(t *testing.T) {
	for _, example := range []string{"reduction", "transpose"} {
		example = filepath.Join("..", "..", "examples", example)
		var profiles []struct {
			Instructions []struct {
				Address, Waves, Lanes uint64
				Text                  string
			}
		}
		if err := json.Unmarshal(outputOf(t, "", "profile", "--json", example), &profiles); err != nil {
			t.Fatal(err)
		}
		want := map[string]bool{}
		for _, in := range profiles[len(profiles)-1].Instructions {
			want[strings.Join(strings.Fields(fmt.Sprintf("%d %d %#06x %s", in.Waves, in.Lanes, in.Address, in.Text)), " ")] = true
		}
		n := 0
		text := outputOf(t, "continue\ncounts 10000\n", "step", example)
		_, table, _ := bytes.Cut(text, []byte("    WAVES     LANES\n"))
		for line := range bytes.Lines(table) {
			if row := strings.Join(strings.Fields(string(line)), " "); want[row] {
				n++
			} else {
				t.Errorf("%s: no such row in the profile: %s", example, row)
			}
		}
		if n != len(want) || n < 20 {
			t.Errorf("%s: %d of %d instructions\n%s", example, n, len(want), text)
		}
	}
}

// TestDapCounts: the loop of loopText has two turns, and lane and wave counts follow steps forwards and back.
func TestDapCounts(t *testing.T) {
	path := writeText(t, "turns.s", loopText)
	c := dapSession(t)
	c.begin(obj{"program": path, "grid": 128, "block": 64, "counts": true})
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{{"name": "s_cbranch_scc1"}}})
	check := func(loops, branches int) {
		t.Helper()
		counts := c.variables(c.scope(c.frame(1), "Counts of instructions"))
		lines := c.variables(c.scope(c.frame(1), "Counts of lines"))
		listing := c.ask("disassemble", obj{"memoryReference": "0xc", "instructionCount": 3})["instructions"].([]any)
		for i, x := range []struct {
			address, text string
			n             int
		}{{"0xc", "s_sub_u32 s11, s11, 6", loops}, {"0x10", "s_cmp_lg_u32 s11, 1", loops}, {"0x14", "s_cbranch_scc1 loop", branches}} {
			want := fmt.Sprintf("%d waves, %d lanes", x.n, 64*x.n)
			if x.n == 1 {
				want = "1 wave, 64 lanes"
			}
			in, line := counts[x.address+" "+x.text], lines[fmt.Sprintf("%s:%d", path, 7+i)]
			text := listing[i].(obj)["instruction"]
			switch {
			case x.n == 0 && (in != nil || line != nil || text != x.text), x.n > 0 && (in["value"] != want || line["value"] != want || text != x.text+"  // "+want):
				t.Errorf("%s: %v in the scope, %v of the line, %v in the listing; want %d", x.text, in, line, text, x.n)
			}
		}
	}
	c.goes("continue", obj{})
	check(1, 0)
	c.goes("continue", obj{})
	check(2, 1)
	c.goes("stepBack", obj{"granularity": "instruction"})
	c.goes("stepBack", obj{"granularity": "instruction"})
	check(1, 1)
	c.goes("reverseContinue", obj{})
	check(1, 0)
	c.ask("setFunctionBreakpoints", obj{"breakpoints": []obj{}})
	c.end()
}
