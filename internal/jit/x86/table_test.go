package x86

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/hex"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/jit/cpu"
)

// With -update the tables of testdata are made anew by the GNU assembler, which must be installed, and z_op*.go from the rows.
var update = flag.Bool("update", false, "make z_op0.go and so on, and testdata by the program as")

// A sample is an instruction with operands, and as its text has it.
type sample struct {
	op   Op
	args []Operand
	text string
}

// emit is the bytes of one sample. Labels lie ripDistance behind it.
func (s *sample) emit(a *Asm) ([]byte, error) {
	a.Reset()
	l := a.NewLabel()
	a.Emit(s.op, s.args...)
	n := a.Len()
	a.Data(make([]byte, ripDistance)...)
	a.Bind(l)
	code, err := a.Finish(nil)
	return code[:min(n, len(code))], err
}

const ripDistance = 0x1234

// TestEncodings: every row, in every size, with many kinds of operands, gives the bytes that an independent assembler gives
// for the text.
func TestEncodings(t *testing.T) {
	a := New(cpu.All)
	total := 0
	for _, f := range families() {
		samples := samplesOf(f)
		file := filepath.Join("testdata", f.name+".txt")
		if *update {
			writeTable(t, file, samples)
		}
		want := readTable(t, file)
		total += len(samples)
		if len(want) != len(samples) {
			t.Errorf("%s: %d lines for %d samples", file, len(want), len(samples))
			continue
		}
		for i, s := range samples {
			got, err := s.emit(a)
			if err != nil || want[i].text != s.text || hex.EncodeToString(got) != want[i].hex {
				t.Errorf("%s: %s | %x %v, want %s | %s", file, s.text, got, err, want[i].text, want[i].hex)
			}
		}
	}
	if total < 9000 {
		t.Errorf("only %d samples", total)
	}
}

type line struct{ text, hex string }

func readTable(t *testing.T, file string) (list []line) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		code, text, ok := strings.Cut(sc.Text(), " | ")
		if !ok {
			t.Fatalf("%s: %q", file, sc.Text())
		}
		list = append(list, line{text, code})
	}
	return list
}

func writeTable(t *testing.T, file string, samples []sample) {
	t.Helper()
	var text []string
	for _, s := range samples {
		text = append(text, s.text)
	}
	var b strings.Builder
	b.WriteString("# hex | text, by the GNU assembler; made by go test -update\n")
	for i, code := range assemble(t, text) {
		fmt.Fprintf(&b, "%x | %s\n", code, text[i])
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// assemble is the bytes of each line by the GNU assembler.
func assemble(t *testing.T, lines []string) (codes [][]byte) {
	t.Helper()
	var b strings.Builder
	b.WriteString(".intel_syntax noprefix\n")
	for i, l := range lines {
		fmt.Fprintf(&b, "c%d: %s\n", i, l)
	}
	fmt.Fprintf(&b, "c%d:\n", len(lines))
	object := filepath.Join(t.TempDir(), "o")
	cmd := exec.Command("as", "--64", "-o", object, "-")
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("as: %v\n%s", err, explain(out, lines))
	}
	f, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	at := make([]uint64, len(lines)+1)
	for _, s := range symbols {
		var i int
		if n, _ := fmt.Sscanf(s.Name, "c%d", &i); n == 1 {
			at[i] = s.Value
		}
	}
	for i := range lines {
		codes = append(codes, text[at[i]:at[i+1]])
	}
	return codes
}

// explain puts the lines behind what the assembler says about them.
func explain(out []byte, lines []string) string {
	var b strings.Builder
	for i, l := range strings.Split(string(out), "\n") {
		var n int
		if _, err := fmt.Sscanf(l, "{standard input}:%d:", &n); err == nil && n >= 2 && n-2 < len(lines) && i < 60 {
			fmt.Fprintf(&b, "%s: %s\n", l, lines[n-2])
		}
	}
	return b.String()
}

// opsPerFile keeps the generated files as short as others.
const opsPerFile = 500

// TestOps: z_op0.go and those after it name the rows, in their order.
func TestOps(t *testing.T) {
	for i, names := 0, compiled().names; i < len(names); i += opsPerFile {
		file := fmt.Sprintf("z_op%d.go", i/opsPerFile)
		want := opsFile(t, i, names[i:min(i+opsPerFile, len(names))])
		if *update {
			if err := os.WriteFile(file, want, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the rows give: %v", file, err)
		}
	}
}

func opsFile(t *testing.T, first int, names []string) []byte {
	var b strings.Builder
	b.WriteString("// Code generated from the rows by go test -update; DO NOT EDIT.\n\npackage x86\n\n// Instructions by their mnemonics.\nconst (\n")
	for i, n := range names {
		fmt.Fprintf(&b, "\t%s", strings.ToUpper(n))
		if i == 0 {
			fmt.Fprintf(&b, " Op = iota + %d", first)
		}
		b.WriteByte('\n')
	}
	b.WriteString(")\n")
	text, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
