package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/eval"
	launch "github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/sets"
	"github.com/heddle-gpu/heddle/internal/vectors"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A written is an instruction with the state before it, as package vectors writes it.
type written struct {
	Name    string
	Stage   string
	Bytes   []int
	Lanes   int
	Initial struct {
		Regs   map[string]json.RawMessage
		RAM    [][]uint64
		Spaces map[string][][]uint64
	}
}

// TestEvalCases: eval writes cases of instructions that check passes, for a state of every row of every variant. The
// states are those of package vectors: operands that the row accepts, and addresses of existing memory.
func TestEvalCases(t *testing.T) {
	for _, set := range sets.Sets() {
		for v := range set.Variants {
			tg, err := sets.Lookup(set.Name + ":" + set.Variants[v].Name)
			if tg == nil {
				t.Fatal(err)
			}
			t.Run(tg.FullName(), func(t *testing.T) {
				t.Parallel()
				evalCases(t, tg)
			})
		}
	}
}

func evalCases(t *testing.T, tg *isa.Target) {
	m, err := vectors.NewMaker(tg, vectors.Options{Seed: 1, Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	cases, others := 0, 0
	for _, name := range vectors.Mnemonics(tg) {
		tests, _, err := m.Tests(context.Background(), name)
		if err != nil {
			t.Fatal(err)
		}
		var list []written
		if err := json.Unmarshal(m.Append(nil, tests), &list); err != nil {
			t.Fatal(err)
		}
		for i := range list {
			c, err := evalCase(tg, &list[i])
			if err != nil {
				t.Logf("no case of %s: %v", list[i].Name, err)
				others++
				continue
			}
			line, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			file.Write(append(line, '\n'))
			cases++
		}
	}
	if others*4 > cases { // with inputs, outputs, memory banks or branches out of the program, which eval does not support
		t.Errorf("%d cases, and %d instructions that eval does not run", cases, others)
	}
	path := filepath.Join(t.TempDir(), "eval.jsonl")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := Run(context.Background(), []string{path}, Options{Engine: engines.Fastest(engines.Use{}), Each: func(r Result) {
		if r.Status != Passed {
			t.Error(r)
		}
	}})
	if err != nil || s.Passed != cases {
		t.Errorf("%v of %d cases, %v", &s.Count, cases, err)
	}
}

// evalCase returns the case of an instruction in a state.
func evalCase(tg *isa.Target, w *written) (*eval.Case, error) {
	stage, ok := tg.Arch.Stage(w.Stage)
	if !ok {
		return nil, fmt.Errorf("no stage %s", w.Stage)
	}
	text := w.Name
	if len(w.Bytes) > 0 { // the printed form may be one that decodes to another instruction by itself
		text = ""
		for _, b := range w.Bytes {
			text += fmt.Sprintf("%02x", b)
		}
	}
	p, errs := eval.Assemble(tg.Move(tg.Variant, stage), text)
	if len(errs) > 0 {
		return nil, errs[0]
	}
	set := eval.Setup{Lanes: w.Lanes, Steps: 1000}
	for name, raw := range w.Initial.Regs {
		var words []uint64
		if raw[0] != '[' {
			raw = append(append([]byte{'['}, raw...), ']')
		}
		if err := json.Unmarshal(raw, &words); err != nil {
			return nil, err
		}
		reg, err := eval.Lookup(p.Target, name)
		if err != nil {
			continue // hardware state without a name in text, such as apertures: it always has the same initial value
		}
		if reg.Mask != eval.NoMask { // one bit per lane
			mask := uint64(0)
			for lane, bit := range words {
				mask |= bit << lane
			}
			words = []uint64{mask}
		}
		a, err := eval.AssignWords(p.Target, name, words)
		if err != nil {
			return nil, err
		}
		set.Regs = append(set.Regs, a)
	}
	set.Memory = regionsOf(ir.GlobalSpace, w.Initial.RAM)
	for name, at := range launch.Lookup(tg.Name).Spaces() {
		if at.ID == ir.GroupSpace && at.Bank == 0 {
			set.Memory = append(set.Memory, regionsOf(ir.GroupSpace, w.Initial.Spaces[name])...)
		}
	}
	r, err := p.Run(context.Background(), set)
	if err != nil {
		return nil, err
	}
	return r.Case(w.Name)
}

// regionsOf converts runs of bytes [address, value].
func regionsOf(space ir.SpaceID, list [][]uint64) (rs []eval.Region) {
	for _, b := range list {
		if n := len(rs); n == 0 || rs[n-1].Addr+uint64(len(rs[n-1].Data)) != b[0] {
			rs = append(rs, eval.Region{Space: space, Name: fmt.Sprintf("%s%d", space, len(rs)), Addr: b[0]})
		}
		r := &rs[len(rs)-1]
		r.Data = append(r.Data, byte(b[1]))
	}
	return rs
}
