package bench

import (
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	launch "github.com/heddle-gpu/heddle/internal/platforms/attila"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/attila"
)

// attilaWords returns the words of the committed pairs that decode.
func attilaWords(b *testing.B) (words [][]byte) {
	const path = "../../cases/pairs/attila-encode.tsv.gz"
	f, err := casefile.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for p, err := range casefile.Pairs(f, path) {
		if err != nil {
			b.Fatal(err)
		}
		words = append(words, p.Code())
	}
	return words
}

// BenchmarkAttilaDecodePrint decodes and prints one word of every instruction and class.
func BenchmarkAttilaDecodePrint(b *testing.B) {
	words := attilaWords(b)
	d := attila.Set().At(attila.Text, 0)
	var bundle isa.Bundle
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for _, w := range words {
			if err := d.DecodeBundle(w, 0, &bundle); err != nil {
				b.Fatal(err)
			}
			buf = d.Print(buf[:0], &bundle)
		}
		n += len(words)
	}
	rate(b, n, "inst/s")
}

// attilaPrograms are programs of the committed cases without textures, by name.
var attilaPrograms = []string{"prog-mandel-0", "prog-wide16-loop-1", "arb-vp_light"}

// BenchmarkAttilaRun runs programs of cases repeatedly; it reports instructions times lanes per second.
func BenchmarkAttilaRun(b *testing.B) {
	const path = "../../cases/state/attila-prog.jsonl.gz"
	f, err := casefile.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for c, err := range casefile.States(f, path) {
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range attilaPrograms {
			if c.Name == name {
				b.Run(name, func(b *testing.B) { attilaRun(b, c) })
			}
		}
	}
}

func attilaRun(b *testing.B, c *casefile.StateCase) {
	p := exec.NewProgram(&isa.Program{Target: attila.Set().At(attila.Text, 0), Code: c.Code})
	k, err := launch.Platform.Case(p.Code, attila.Text, c)
	if err != nil {
		b.Fatal(err)
	}
	begin := k.Waves[0].State.Snapshot()
	st, env := k.Waves[0].State, &k.Waves[0].Env
	r := ref.New().NewRunner(p)
	for b.Loop() {
		st.Restore(begin)
		if stop := r.Run(st, env, exec.Budget{Steps: 1 << 20}); stop.Reason != exec.StopEnd {
			b.Fatal(stop.Fault)
		}
	}
	rate(b, int(env.Count.Instructions)*st.Lanes, "lane-inst/s")
}
