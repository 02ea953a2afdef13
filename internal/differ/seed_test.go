package differ

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/check"
	"github.com/heddle-gpu/heddle/internal/seeds"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/object"
	"github.com/heddle-gpu/heddle/sanitize"
)

const sNop = 0xbf800000

// A seeding is a kind of defect that is made in compiled code, one instruction at a time.
type seeding struct {
	seeds.Kind
	// make returns the defect in place of an instruction whose encoding is two words at most; nil: there is none.
	// oldest says that the code is for gfx6 or gfx7.
	make func(word uint32, oldest bool) []uint32
	// register is the one that the instruction would have set, for the origin of what is undefined; nil: there is none.
	register func(word uint32) string
}

var seedings = [...]seeding{
	{seeds.Kind{Name: "barrier dropped", Rules: "race sync", Must: true}, func(w uint32, _ bool) []uint32 {
		if w != 0xbf8a0000 {
			return nil
		}
		return []uint32{sNop}
	}, nil},
	{seeds.Kind{Name: "initialising v_mov dropped", Rules: "undefined outside race against misaligned"}, func(w uint32, _ bool) []uint32 {
		switch src := w & 0x1ff; {
		case w>>25 != 0x3f || w>>9&0xff != 1 || src == 249 || src == 250 || src >= 256: // a copy of a register, SDWA, DPP
			return nil
		case src == 255:
			return []uint32{sNop, sNop}
		}
		return []uint32{sNop}
	}, func(w uint32) string { return fmt.Sprintf("v%d", w>>17&0xff) }},
	{seeds.Kind{Name: "initialising s_mov dropped", Rules: "undefined outside race against misaligned"}, func(w uint32, oldest bool) []uint32 {
		op := uint32(0)
		if oldest {
			op = 3
		}
		dst, src := w>>16&0x7f, w&0xff
		switch {
		case w>>23 != 0x17d || w>>8&0xff != op || dst >= 104 || src < 128: // M0, EXEC and VCC; copies of registers
			return nil
		case src == 255:
			return []uint32{sNop, sNop}
		}
		return []uint32{sNop}
	}, func(w uint32) string { return fmt.Sprintf("s%d", w>>16&0x7f) }},
	{seeds.Kind{Name: "lane mask dropped", Rules: "undefined outside race against misaligned clipped sync"}, func(w uint32, oldest bool) []uint32 {
		and, mov := uint32(0x20), uint32(1)
		if oldest {
			and, mov = 0x24, 4
		}
		if w>>23 != 0x17d || w>>8&0xff != and {
			return nil
		}
		return []uint32{w&^0xffff | mov<<8 | 126}
	}, nil},
}

// TestSeeds makes defects in compiled kernels, one at a time, and runs them. What a barrier was for is always found if
// it shows in the result. A dropped move or lane mask is only found where it leaves something undefined or leads out of
// memory: a register may have held another defined value before.
func TestSeeds(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	var counts [len(seedings)]seeds.Counts
	eachKernel(t, true, func(m *casefile.Manifest, b *casefile.Build, number int) { seedIn(t, m, b, number, &counts) })
	all := seeds.Counts{}
	for i := range counts {
		t.Logf("%s: %+v", seedings[i].Name, counts[i])
		all.Add(&counts[i])
	}
	all.Hold(t, "../../docs/sanitize.md", "GCN", "compiled kernels")
}

// seedIn makes defects in a build.
func seedIn(t *testing.T, m *casefile.Manifest, b *casefile.Build, first int, counts *[len(seedings)]seeds.Counts) {
	t.Helper()
	o := objectOf(t, m, b)
	w := waitsOf(t, m, o, false)
	oldest := strings.HasPrefix(o.Target, "gfx6") || strings.HasPrefix(o.Target, "gfx7")
	for i := range seedings {
		n := first
		w.words(o, func(code []byte, addr uint64) {
			word := binary.LittleEndian.Uint32(code)
			made := seedings[i].make(word, oldest)
			if made == nil || len(code) < 4*len(made) {
				return
			}
			if n++; n%seedEach[i] != 0 {
				return
			}
			old := bytes.Clone(code[:4*len(made)])
			for k, word := range made {
				binary.LittleEndian.PutUint32(code[4*k:], word)
			}
			seedings[i].run(t, m, o, fmt.Sprintf("%s at %#x", b.File, addr), word, &counts[i])
			copy(code, old)
		})
	}
}

// seedEach is one of how many places gets a defect, by kind.
var seedEach = [...]int{2, 31, 53, 13}

// run runs code with a defect.
func (s *seeding) run(t *testing.T, m *casefile.Manifest, o *object.CodeObject, name string, word uint32, c *seeds.Counts) {
	t.Helper()
	w := sanitize.New(sanitize.CheckAll, nil)
	w.HostReads = check.Expected(m)
	memory, end := launchAll(t, m, o, launch.Settings{Watcher: w, Policy: exec.RecordFaults, Declared: true, Limits: exec.Limits{Steps: 1 << 20, Total: 1 << 24}})
	got := map[string][]byte{}
	for _, b := range memory.Buffers() {
		got[b.Name] = b.Data
	}
	wrong := ""
	compared, err := check.Buffers(m, got)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range compared {
		if r.What != "" && wrong == "" {
			wrong = r.What
		}
	}
	r := &seeds.Ran{Wrong: wrong != "", Findings: w.Findings(), Err: end}
	if s.register != nil {
		r.Lines = s.register(word)
	}
	s.Count(t, c, r, name)
}
