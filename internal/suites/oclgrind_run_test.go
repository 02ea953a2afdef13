package suites

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/clang"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/sanitize"
)

// TestOclgrind: of each case exactly what the table says is found.
func TestOclgrind(t *testing.T) {
	needClang(t, compiler)
	m := oclgrindModule(t, "2", func(*restated) bool { return true })
	found, silent, other := 0, 0, 0
	for i := range oclgrind {
		c := &oclgrind[i]
		if got := c.run(t, m); got != c.ours {
			t.Errorf("%s: found %q, want %q", c.name, got, c.ours)
		}
		switch {
		case c.says != "" && c.ours != "":
			found++
		case c.says == c.ours:
			silent++
		default:
			other++
		}
		if (c.why == "") != ((c.says == "") == (c.ours == "")) {
			t.Errorf("%s: %q says why it is not as in Oclgrind", c.name, c.why)
		}
	}
	t.Logf("%d cases: in %d something is found, in %d nothing, as in Oclgrind; in %d the other", len(oclgrind), found, silent, other)
	inDocs(t, fmt.Sprintf("of %d in %d something is found and in %d nothing, as in Oclgrind. In %d it is different", len(oclgrind), found, silent, other))
}

// TestOclgrindPlain: the same of undefined values in code that is not optimised.
func TestOclgrindPlain(t *testing.T) {
	if !long {
		t.Skip("long")
	}
	needClang(t, compiler)
	undefined := func(c *restated) bool { return strings.HasPrefix(c.name, "uninitialized/") }
	m := oclgrindModule(t, "0", undefined)
	for i := range oclgrind {
		if c := &oclgrind[i]; undefined(c) {
			if got, want := c.run(t, m), cmp.Or(c.o0, c.ours); got != want {
				t.Errorf("%s: found %q, want %q", c.name, got, want)
			}
		}
	}
}

// oclgrindModule compiles some of the cases.
func oclgrindModule(t *testing.T, level string, some func(*restated) bool) *gcn.Module {
	t.Helper()
	var text strings.Builder
	for i := range oclgrind {
		if c := &oclgrind[i]; some(c) {
			text.WriteString("kernel void " + c.kernel() + c.text + "\n")
		}
	}
	return compiled(t, oclgrindTypes+text.String(), clang.Options{Clang: compiler, Opt: level})
}

// kernel is the name of the kernel.
func (c *restated) kernel() string { return strings.NewReplacer("/", "_", "-", "_").Replace(c.name) }

// run runs a case and returns the rules of what is found, without notes.
func (c *restated) run(t *testing.T, m *gcn.Module) string {
	t.Helper()
	k := gcn.Kernel{Module: m, Name: c.kernel(), Grid: [3]uint32{c.grid}, Block: [3]uint32{min(c.grid, 128)}, Memory: gcn.NewMemory()}
	for arg := range strings.FieldsSeq(c.args) {
		name, bytes, _ := strings.Cut(arg, ":")
		size, _ := strconv.Atoi(bytes)
		switch name {
		case "null":
			k.Args = append(k.Args, gcn.Address(0))
			continue
		case "local":
			k.Args = append(k.Args, gcn.Local(uint32(size)))
			continue
		}
		b, err := k.Memory.Alloc(name, size)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; name != "zero" && at+4 <= size; at += 4 {
			binary.LittleEndian.PutUint32(b.Data[at:], uint32(at/4))
		}
		switch name {
		case "in":
			b.Uses = mem.Read
		case "out":
			b.Uses = mem.Write
		}
		k.Args = append(k.Args, gcn.Buf(b))
	}
	w := sanitize.New(sanitize.CheckAll|sanitize.CheckSync, nil)
	_, err := gcn.Launch(context.Background(), k, launch.Settings{Engine: engines.Fastest(engines.Use{}), Workers: 1, Watcher: w, Policy: exec.RecordFaults})
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	var rules []string
	for _, f := range w.Findings() {
		if f.Severity() != isa.SeverityNote {
			rules = append(rules, f.Rule)
		}
	}
	slices.Sort(rules)
	return strings.Join(slices.Compact(rules), " ")
}
