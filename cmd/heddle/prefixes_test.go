package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// badFiles are invalid files of all kinds, by name.
var badFiles = map[string]string{
	"text.s":        "frob\n\tv_add_f32 v0, v1\n",
	"gcn.s":         ".isa gcn:gfx8\n\tfrob\n",
	"macro.s":       ".isa gcn:gfx8\n.macro m\n\tfrob\n.endm\n\tm\n",
	"directive.s":   ".isa gcn:gfx8\n.what 1\n.byte 300\n.if 1\n",
	"program.s":     "\t.text\n\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.amdhsa_kernel k\n.end_amdhsa_kernel\nk:\n\tfrob\n",
	"isa.s":         ".isa gfx900\n",
	"junk.bin":      "\xff\xff\xff\xff\xff",
	"cut.hsaco":     "\x7fELF\x02\x01\x01\x40",
	"none.json":     "",
	"bad.json":      "{\"a\": ",
	"unknown.json":  "{\"format\": \"heddle-what-1\"}",
	"manifest.json": "{\"format\": \"heddle-valhall-kernel-1\", \"name\": \"m\", \"variants\": [{\"file\": \"m.s\", \"isa\": \"valhall\", \"variant\": \"v9\"}], \"buffers\": {}, \"launches\": []}",
	"kernel.json": "{\"format\": \"heddle-valhall-kernel-1\", \"name\": \"m\", \"source\": \"m.s\", \"variants\": [{\"file\": \"m.s\", \"isa\": \"valhall\", \"variant\": \"v9\"}]," +
		"\"buffers\": {\"b\": {\"bytes\": 64, \"elem\": \"uint32\", \"init\": \"zero\"}}, \"launches\": [{\"kernel\": \"m\", \"work_dim\": 1, \"grid\": [16, 1, 1], \"block\": [16, 1, 1], \"args\": [{\"buffer\": \"b\"}]}], \"expected_from\": \"x\"}",
	"m.s":         "FROB r0\n",
	"scene.json":  "{\"width\": 4, \"height\": 4, \"draws\": [{\"name\": \"d\", \"primitive\": \"points\"}]}",
	"colour.json": "{\"width\": 4, \"height\": 4, \"draws\": [{\"colour\": 1}]}",
	"pairs.tsv":   "#isa\tstage\thex\ttext\tflags\tnote\ngcn:gfx8\t-\tzz\ts_nop 0\tAD\t\ngcn:gfx9\t-\t000080bf\ts_nop 0\tAD\t\nonly two\tcells\n",
	"state.jsonl": "{\"name\": \"x\", \"isa\": \"gcn\"}\n{\n",
	"case.jsonl":  "{\"name\": \"x\", \"isa\": \"gcn\", \"variant\": \"gfx8\", \"code\": \"zz\"}\n",
	"note.txt":    "nothing\n",
	"pic.png":     "\x89PNG\r\n\x1a\nxx",
}

// badLines are command lines that fail, besides those of every command with every file.
var badLines = []string{
	"", "what", "dis", "dis nowhere", "dis --isa", "dis --isa what x", "dis --isa gcn:what junk.bin", "dis --isa gcn --stage vp junk.bin", "dis --isa gcn --base x junk.bin",
	"asm --isa gcn nowhere.s", "asm --isa gcn text.s -o nowhere/x", "asm --isa gfx900 text.s", "asm --isa gcn --option a text.s", "asm --isa gcn --option a=1 text.s",
	"asm --isa gcn --dialect what text.s", "asm --isa gcn --lines text.s", "run nowhere", "run --grid x text.s", "run --isa gcn --grid 64 text.s", "run --isa gcn --grid 64 --block 64 text.s",
	"run --isa gcn --grid 64 --block 64 --arg what gcn.s", "run --timeout x gcn.s", "run --engine what gcn.s", "run --workers -1 gcn.s", "run kernel.json --grid 64",
	"step", "step -", "step --json gcn.s", "step kernel.json", "step nowhere", "render", "render nowhere -o x.png", "render scene.json", "render scene.json -o nowhere/x.png",
	"render --fragment text.s --isa attila -o x.png", "render --fragment nowhere.s --isa attila -o x.png", "render --fragment text.s --isa gcn -o x.png", "render scene.json --diff pic.png",
	"render scene.json --diff nowhere.png", "check nowhere", "check --isa what .", "check --run ( .", "lint", "lint nowhere", "lint --isa gcn --rule what junk.bin", "lint --isa gcn --explain what",
	"eval", "eval --isa gcn", "eval --isa gcn frob", "eval --isa gcn s_nop,0 v0", "eval --isa gcn s_endpgm v0=x", "eval --isa gcn s_endpgm q0=1", "eval --isa gcn s_endpgm --mem x",
	"eval --isa gcn s_endpgm --mem 0=nowhere", "eval --isa gcn s_endpgm --mode what=1", "eval --isa gcn s_endpgm --lds zero:x", "explain", "explain --isa gcn", "explain --isa gcn frob",
	"explain --isa gcn ffffffff", "explain --isa gcn --mode what v_nop", "completion", "completion what", "help what", "isas what", "version what", "man what",
}

// placed matches a place at the start of a message or of a part of one.
var placed = regexp.MustCompile(`([\w./-]+\.(?:s|bin|hsaco|json|jsonl|tsv|png)|line)[: ]\d+`)

var quotedText = regexp.MustCompile(`"[^"]*"`)

// twice returns what a line of messages says twice although once is enough: the command's name, a part up to a colon, a
// file's name, a place; "" if nothing.
func twice(line string) string {
	line = quotedText.ReplaceAllString(line, "") // it is not part of the message
	parts := strings.Split(line, ": ")
	for i := 1; i < len(parts); i++ {
		if parts[i] == parts[i-1] {
			return parts[i] + ": " + parts[i]
		}
		// A part that starts with the text of the previous part repeats it: "draw 1: draw 1 pixel 2".
		if words := parts[i-1]; strings.HasPrefix(parts[i], words+" ") && len(words) > 1 {
			return words + ": " + words
		}
	}
	if m := placed.FindAllString(line, -1); len(m) > 1 && !strings.Contains(line, "first in line") && !strings.Contains(line, "used in line") {
		return strings.Join(m, " and ")
	}
	for name := range badFiles {
		if n := len(regexp.MustCompile(`(^|[^\w./-])`+regexp.QuoteMeta(name)+`($|[^\w])`).FindAllString(line, -1)); n > 1 {
			return name + " " + name
		}
	}
	if strings.Contains(line, " pc 0x") && strings.Contains(line, "code+0x") {
		return "a place in the code"
	}
	if strings.Count(line, "heddle: ") > 1 || strings.Count(line, "error: ") > 1 {
		return "heddle: or error: "
	}
	return ""
}

// runHere executes a command line in this process, and returns its output.
func runHere(t *testing.T, args []string) (text string, code int) {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code = newApp(t.Context(), strings.NewReader(""), f, f).run(args)
	data, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(data), code
}

// TestTwice: the detection works.
func TestTwice(t *testing.T) {
	for line, want := range map[string]bool{
		"heddle: heddle: no file": true, "heddle: a: a: no": true, "heddle: line 3: gcn.s:3: no": true, "heddle: draw 1: draw 1 faults": true,
		"heddle: gcn.s: open gcn.s: no": true, `heddle: kernel k pc 0x0 wave 0: invalid: code+0x0: no`: true, "gcn.s:1:2: error: frob: no such": false, "heddle: gcn.s: 2 errors": false,
	} {
		if got := twice(line); (got != "") != want {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestNothingSaidTwice: errors of all commands, with files of each kind and with wrong flags, have no repeated prefix.
func TestNothingSaidTwice(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for name, text := range badFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	t.Chdir(dir)
	lines := slices.Clone(badLines)
	for _, c := range []string{"dis", "asm", "asm --isa gcn", "run", "run --isa gcn --grid 64 --block 64", "render -o x.png", "check", "lint", "lint --isa gcn --text"} {
		for _, name := range names {
			if name != "pic.png" {
				lines = append(lines, c+" "+name)
			}
		}
	}
	said := 0
	for _, line := range lines {
		out, code := runHere(t, strings.Fields(line))
		if code == 0 {
			continue
		}
		said++
		for text := range strings.Lines(out) {
			if what := twice(strings.TrimSuffix(text, "\n")); what != "" && !strings.HasPrefix(text, " ") {
				t.Errorf("heddle %s: says %q twice:\n%s", line, what, text)
			}
		}
	}
	if said < 180 {
		t.Errorf("%d of %d command lines end with an error", said, len(lines))
	}
}
