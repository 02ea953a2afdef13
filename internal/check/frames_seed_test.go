package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"path/filepath"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/internal/seeds"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// unsetRegisters are the registers of ATTILA that count as undefined where a thread starts.
var unsetRegisters = map[string][2]int{"r": {0, 128}, "a": {0, 8}, "p": {0, 32}}

// TestFrameSeeds makes defects in the programs of captured frames, one at a time, and repeats up to eight runs of each.
func TestFrameSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	files, err := filepath.Glob(filepath.Join(cases.Dir(t), "render", "attila", "*.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	all, known := seeds.Counts{}, map[string]bool{}
	for _, file := range files {
		m, err := casefile.ReadFrameFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Programs {
			if code := string(m.Programs[i].Code); !known[code] {
				known[code] = true
				frameSeeds(t, m, i, &all)
			}
		}
	}
	all.Hold(t, "../../docs/sanitize.md", "ATTILA", "captured frames")
}

// frameSeeds makes defects in a program of a frame.
func frameSeeds(t *testing.T, m *casefile.Frame, i int, c *seeds.Counts) {
	f := &m.Programs[i]
	code, text := f.Code, f.Asm
	of, lines := map[string][]byte{}, ""
	for k, line := range text {
		if strings.HasSuffix(line, "<- end") {
			line += " // end"
		}
		of["\t"+line] = code[16*k:][:16]
		lines += "\t" + line + "\n"
	}
	right := frameOutputs(t, m, i, &seeds.Fill{})
	for k := range seeds.Kinds {
		kind := &seeds.Kinds[k]
		kind.Each(lines, seeds.Sample(6), func(changed, concerned string) {
			f.Asm, f.Code = nil, nil
			for _, line := range strings.Split(changed, "\n") {
				f.Code = append(f.Code, of[line]...)
			}
			r := &seeds.Ran{Lines: concerned}
			w := sanitize.New(sanitize.CheckInit|sanitize.CheckMemory, nil)
			frameOutputs(t, m, i, w)
			var out [len(seeds.Fills)][]byte
			for n, with := range seeds.Fills {
				out[n] = frameOutputs(t, m, i, &seeds.Fill{With: with, Unset: unsetRegisters})
			}
			r.Depends, r.Wrong, r.Findings = !bytes.Equal(out[0], out[1]), !bytes.Equal(out[0], right), w.Findings()
			kind.Count(t, c, r, fmt.Sprintf("%s program %d: %s", m.Name, i, concerned))
		})
	}
	f.Code, f.Asm = code, text
}

// frameOutputs returns what a picture needs of the first runs of a program, under an observer.
func frameOutputs(t *testing.T, m *casefile.Frame, i int, w exec.Prober) (out []byte) {
	t.Helper()
	target, err := lookup(m.ISA, "sim")
	engine, e := engines.Lookup(engines.Auto, engines.Use{})
	if err = errors.Join(err, e); err != nil {
		t.Fatal(err)
	}
	x := &frame{checker: &checker{Options: &Options{}}, Frame: m, variant: "sim"}
	p, err := x.prepare(platforms.Lookup(m.ISA), target, i, &Result{})
	if err == nil {
		x.Sanitize = sanitize.CheckMemory // seeds.Fill, too: a fault ends no run
		err = p.watch(x, i, w)
	}
	if err != nil {
		t.Fatal(err)
	}
	for k, left := 0, 8; k < len(m.Runs) && left > 0; k++ {
		run := &m.Runs[k]
		if run.Program != i {
			continue
		}
		left--
		if err := p.begin(run, k); err != nil {
			t.Fatal(err)
		}
		wave, tape := &p.k.Waves[0], &Tape{Texels: run.Tex}
		wave.Env.TextureOf = func(uint32) (exec.Sampler, error) { return tape, nil }
		var fault *exec.Fault
		if err := launch.RunWave(context.Background(), engine, p.program, wave.State, &wave.Env, exec.Limits{Steps: 1 << 12}); err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		p.end(run)
		for _, o := range p.reads(run) {
			for lanes := o.Lanes; lanes != 0; lanes &= lanes - 1 {
				out = binary.LittleEndian.AppendUint32(out, wave.State.Get(o.Cell, bits.TrailingZeros64(lanes))&o.Bits)
			}
		}
		out = append(out, '|')
	}
	return out
}
