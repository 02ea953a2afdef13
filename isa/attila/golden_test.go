package attila

import (
	"encoding/hex"
	goflag "flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

var update = goflag.Bool("update", false, "rewrite the golden files")

// TestGolden: testdata/*.txt hold memory-order hex | text or ERROR, one instruction a line. The text assembles to the
// hex unless the hex is followed by an exclamation mark: its text stands for another word, its canon.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(string(old), "\n"), "\n") {
		word, want, ok := strings.Cut(line, " | ")
		if !ok || strings.HasPrefix(line, "#") {
			out.WriteString(line + "\n")
			continue
		}
		got := goldenText(t, strings.TrimSuffix(word, "!"))
		out.WriteString(word + " | " + got + "\n")
		if got != want && !*update {
			t.Errorf("%s:%d: %s prints as %q, want %q", name, i+1, word, got, want)
		}
		if strings.HasPrefix(got, "ERROR") {
			continue
		}
		back, err := Set().AsmLine(Text, 0, got)
		if err != nil || (back == strings.TrimSuffix(word, "!")) == strings.HasSuffix(word, "!") {
			t.Errorf("%s:%d: %q assembles to %s (%v), line has %s", name, i+1, got, back, err, word)
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// goldenText is what a word prints as: its text, or ERROR and why it is none.
func goldenText(t *testing.T, word string) string {
	code, err := hex.DecodeString(word)
	if err != nil {
		t.Fatal(err)
	}
	var in isa.Inst
	if err := Set().Decoder(Text, 0).Decode(code, 0, &in); err != nil {
		return "ERROR " + err.Error()
	}
	return in.String()
}

// badText is text that must fail, and a part of the error.
var badText = []struct{ text, want string }{
	{"add r0, r1", "too few operands"},
	{"add r0.yx, r1, r2", "a mask is components in the order"},
	{"add r0, r1.xy, r2", "a swizzle is one component or four"},
	{"add r0, |r1, r2", `"|" is expected`},
	{"add i0, r1, r2", "a result register is expected"},
	{"add r0, o1, r2", "a source register"},
	{"add r256, r1, r2", "too large"},
	{"add r0, c512, r2", "too large"},
	{"mad r0, r1, 0.5, r2", "a source register is expected"},
	{"add r0, 0.5, r1", "a source register is expected"},
	{"add r0, r1, 1e99", "too large for a float"},
	{"addi r0, r1, 4294967296", "does not fit 32 bits"},
	{"addi r0, r1, 0.5", ""},
	{"add r0, c1[a0.x + 256], r1", "not -256 to 255"},
	{"add r0, c1[a4.x], r1", "a0 to a3"},
	{"add r0, c1[a0.x], c2", "one for all constants"},
	{"(p32) nop", "p0 to p31"},
	{"(p1 nop", `")"`},
	{"andp p1, c1[a0.x], p2", "component y"},
	{"jmp c1[a0.y], 3", "cannot be relative"},
	{"jmp p1, 2147483648", "too far"},
	{"setpeq r0, r1, r2", "a predicate is expected"},
	{"mov p0, r1", "a result register is expected"},
	{"nop_sat", "no suffix"},
	{"flr r0, r1", "no instruction"},
	{"mov r0, r1 <- stop", "no modifier"},
}

func TestBadText(t *testing.T) {
	for _, c := range badText {
		if got, err := Set().AsmLine(Text, 0, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %s, %v; want %q", c.text, got, err, c.want)
		}
	}
}

// dialect is text that the reference's assembler does not read, and what it stands for.
var dialect = []struct{ text, same string }{
	{"add r0, r1, 0x3f", "add r0, r1, 63.000000"},
	{"add r0, r1, 25e-2", "add r0, r1, 0.250000"},
	{"add_SAT r0, r1, r2", "add_sat r0, r1, r2"},
	{"add r0.xyzw, r1.xyzw, r2.xxxx", "add r0, r1, r2.x"},
	{"setpeqi p1, r0, 1", "stpeqi p1, r0, 1"},
	{"jump true, 1", "jmp true, 1"},
	{"mov r0, c1[a0.x]", "mov r0, c1[a0.x + 0]"},
	{"mov r0, c1[ a0.x - 3 ]", "mov r0, c1[a0.x + -3]"},
	{"mov r0, r1 <- wait <- end", "mov r0, r1 <- end <- wait"},
	{"( !p3 ) mov r0, r1", "(!p3) mov r0, r1"},
}

func TestDialect(t *testing.T) {
	for _, c := range dialect {
		got, err1 := Set().AsmLine(Sim, 0, c.text)
		want, err2 := Set().AsmLine(Sim, 0, c.same)
		if got != want || err1 != nil || err2 != nil {
			t.Errorf("%q is %s, %v; %q is %s, %v", c.text, got, err1, c.same, want, err2)
		}
	}
}
