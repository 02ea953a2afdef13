package cp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sampler is a device with counters.
type sampler struct{ recorder }

func (d *sampler) Sample(_ context.Context, _ *State, event string, va uint64) error {
	d.log = append(d.log, fmt.Sprintf("%s %#x", event, va))
	return nil
}

func TestSampler(t *testing.T) {
	b := newBench(8)
	d := &sampler{}
	b.Device = d
	b.must(t, p3(0x46, 3, 0), 21|1<<8, dataLo, dataHi, p3(0x46, 3, 0), 30|2<<8, dataLo+8, dataHi, p3(0x46, 1, 0), 7|4<<8)
	if want := "[ZPASS_DONE 0x100004000 SAMPLE_PIPELINESTAT 0x100004008]"; fmt.Sprint(d.log) != want {
		t.Errorf("%q", d.log)
	}
}

// Predicates on occlusion queries look at all render backends, and may go on from one query to the next.
func TestPredicateOnQueries(t *testing.T) {
	const on, off, more = 1<<16 | 1<<8, 1 << 16, 1 << 31
	for _, c := range []struct {
		counters []uint32 // low and high words of pairs
		flags    []uint32 // of packets, each on a query of two backends
		draws    bool
	}{
		{[]uint32{5, 1 << 31, 5, 1 << 31, 7, 0, 7, 0}, []uint32{on}, false},
		{[]uint32{5, 1 << 31, 5, 0, 7, 0, 7, 0}, []uint32{on}, false}, // the highest bit does not count
		{[]uint32{5, 0, 5, 0, 7, 0, 8, 0}, []uint32{on}, true},
		{[]uint32{5, 0, 5, 1, 7, 0, 7, 0}, []uint32{on}, true},
		{[]uint32{5, 0, 5, 1, 7, 0, 7, 0}, []uint32{off}, false},
		{[]uint32{5, 0, 5, 0, 7, 0, 7, 0}, []uint32{off}, true},
		{[]uint32{5, 0, 6, 0, 7, 0, 7, 0, 1, 0, 1, 0, 1, 0, 1, 0}, []uint32{on, on | more}, true},
		{[]uint32{5, 0, 6, 0, 7, 0, 7, 0, 1, 0, 1, 0, 1, 0, 1, 0}, []uint32{on, on}, false},
		{[]uint32{5, 0, 5, 0, 7, 0, 7, 0, 1, 0, 1, 0, 1, 0, 2, 0}, []uint32{on, on | more}, true},
	} {
		b := newBench(8)
		b.RenderBackends = 2
		b.m.put(data, c.counters...)
		var words []uint32
		for i, f := range c.flags {
			words = append(words, p3(0x20, 2, 0), dataLo+32*uint32(i), dataHi|f)
		}
		b.must(t, append(words, p3(0x2d, 2, 1), 3, 2)...)
		if got := len(b.d.log) == 1; got != c.draws {
			t.Errorf("%d with %#x: drawn: %t", c.counters, c.flags, got)
		}
	}
}

// The 32-bit predicate.
func TestPredicate32(t *testing.T) {
	b := newBench(6)
	b.m.put(data, 0, 1)
	b.must(t, p3(0x20, 2, 0), dataLo, dataHi|4<<16|1<<8, p3(0x2d, 2, 1), 3, 2, p3(0x20, 2, 0), dataLo+4, dataHi|4<<16|1<<8, p3(0x2d, 2, 1), 4, 2)
	if len(b.d.log) != 1 || !strings.HasPrefix(b.d.log[0], "DRAW_INDEX_AUTO 4 ") {
		t.Errorf("%q", b.d.log)
	}
}

// Offsets of stream output: from the packet, to memory, from memory; in dwords and bytes.
func TestStreamOffsets(t *testing.T) {
	b := newBench(7)
	b.m.put(data+8, 33)
	b.must(t, p3(0x34, 5, 0), 1<<8, 0, 0, 16, 0, // buffer 1: 16 dwords
		p3(0x34, 5, 0), 1|3<<1|1<<8, dataLo, dataHi, 0, 0, // stored in dwords
		p3(0x34, 5, 0), 1|3<<1|1<<7|1<<8, dataLo+4, dataHi, 0, 0, // and in bytes
		p3(0x34, 5, 0), 2<<1|1<<7|3<<8, 0, 0, dataLo+8, dataHi) // buffer 3 from memory, in bytes
	if b.State.StreamOffsets != [4]uint32{0, 64, 0, 33} || b.m.get(data) != 16 || b.m.get(data+4) != 64 {
		t.Errorf("%d, %d, %d", b.State.StreamOffsets, b.m.get(data), b.m.get(data+4))
	}
}

// The global data share is filled, copied and stored.
func TestGDS(t *testing.T) {
	b := newBench(8)
	gds := &ram{data: make([]byte, 64)}
	b.GDS = gds
	b.m.put(data, 7, 8)
	b.must(t, p3(0x50, 6, 0), 2<<29|1<<20, 5, 0, 0, 0, 64, // filled
		p3(0x50, 6, 0), 1<<20, dataLo, dataHi, 16, 0, 8, // from memory
		p3(0x50, 6, 0), 1<<29, 12, 0, dataLo+0x10, dataHi, 12, // to memory
		p3(0x48, 4, 0), 47, dataLo+0x40, dataHi|1<<29, 4|2<<16) // two dwords from the fourth
	b.check(t, map[uint64]uint32{0x10: 5, 0x14: 7, 0x18: 8, 0x1c: 0, 0x40: 7, 0x44: 8, 0x48: 0})
	b.must(t, p3(0x37, 5, 0), 3<<8, 32, 0, 21, 22, // written
		p3(0x37, 5, 0), 3<<8|1<<16, 40, 0, 31, 32, // both to one place
		p3(0x40, 5, 0), 1|3<<8, dataLo, dataHi, 44, 0, // a dword from memory
		p3(0x40, 5, 0), 5|3<<8|1<<16, 33, 34, 48, 0, // two of the packet
		p3(0x40, 5, 0), 3|5<<8, 36, 0, dataLo+0x50, dataHi, // one to memory
		p3(0x40, 5, 0), 3|5<<8|1<<16, 40, 0, dataLo+0x58, dataHi, // two
		p3(0x47, 5, 0), 20, dataLo+0x60, dataHi|5<<29, 8|5<<16, 0, // five from the ninth
		p3(0x49, 6, 0), 20, 5<<29, dataLo+0x80, dataHi, 13|1<<16, 0)
	b.check(t, map[uint64]uint32{0x50: 22, 0x54: 0, 0x58: 32, 0x5c: 7, 0x60: 21, 0x64: 22, 0x68: 32, 0x6c: 7, 0x70: 33, 0x74: 0, 0x80: 34, 0x84: 0})
	if err := b.run(p3(0x50, 6, 0), 1<<20, dataLo, dataHi, 60, 0, 8); err == nil || !strings.Contains(err.Error(), "nothing is mapped at 0x3c") {
		t.Errorf("past the end: %v", err)
	}
}

// A hole in a sequence of registers may be written; registers beside it keep their names.
func TestHoles(t *testing.T) {
	for _, gen := range []int{6, 7} {
		b := newBench(gen)
		b.must(t, p3(0x69, 4, 0), 0x31d, 0x24, 0, 0x1234) // CB_COLOR0_ATTRIB, no register, CB_COLOR0_CMASK
		if b.State.Reg(0x28c74) != 0x24 || b.State.Reg(0x28c7c) != 0x1234 {
			t.Errorf("gfx%d: %#x, %#x", gen, b.State.Reg(0x28c74), b.State.Reg(0x28c7c))
		}
	}
}

// everything is memory that has every address, with zeros first.
type everything map[uint64]byte

func (m everything) Read(va uint64, p []byte) error {
	for i := range p {
		p[i] = m[va+uint64(i)]
	}
	return nil
}

func (m everything) Write(va uint64, p []byte) error {
	for i, b := range p {
		m[va+uint64(i)] = b
	}
	return nil
}

// The streams of testdata/mesa.txt have no packet, register or bit that is not built, and ask for what they are about.
func TestDriverStreams(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "mesa.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, cases, _ := strings.Cut(string(text), "\n# ")
	n := 0
	for _, c := range strings.Split(cases, "\n# ") {
		n++
		title, rest, _ := strings.Cut(c, "\n")
		streams, want, _ := strings.Cut(rest, "\n= ")
		d := &recorder{}
		if err := submit(streams, d); err != nil {
			t.Errorf("%s: %v", title, err)
		}
		if got := strings.Join(d.log, "; "); got != strings.TrimSpace(want) {
			t.Errorf("%s: got\n= %s\nwant\n= %s", title, got, want)
		}
	}
	if n < 5 {
		t.Errorf("%d cases", n)
	}
}

// submit runs streams of testdata/mesa.txt.
func submit(streams string, d Device) error {
	var p *Processor
	m := everything{}
	lines := strings.Split(strings.TrimSpace(streams), "\n")
	for i := 0; i+1 < len(lines); i += 2 {
		head := strings.Fields(strings.TrimPrefix(lines[i], "> "))
		gen, err := strconv.Atoi(head[0])
		if err != nil {
			return err
		}
		va, err := strconv.ParseUint(head[2], 0, 64)
		if err != nil {
			return err
		}
		var words []uint32
		for _, w := range strings.Fields(lines[i+1]) {
			v, err := strconv.ParseUint(w, 16, 32)
			if err != nil {
				return err
			}
			words = append(words, uint32(v))
		}
		if err := m.Write(va, dwords(words)); err != nil {
			return err
		}
		if p == nil {
			p = New(gen, m, d)
		}
		ring := Graphics
		switch head[1] {
		case "called":
			continue
		case "compute":
			ring = Compute
		}
		if err := p.Run(context.Background(), ring, va, uint32(len(words))); err != nil {
			return err
		}
	}
	return nil
}

// Mistakes in state.txt are found when it is read.
func TestBadState(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"state\tVGT_INDEX_TYPE\t8", "1: 3 columns"},
		{"\n# text\nstate\tVGT_INDEX\t8\twhy", "3: gfx8 has no register VGT_INDEX"},
		{"state\tVGT_[*\t8\twhy", "1: syntax error in pattern"},
		{"clear\tVGT_INDEX_TYPE\t8\tx", `1: strconv.ParseUint: parsing "x": invalid syntax`},
		{"keep\tVGT_INDEX_TYPE\t8\twhy", `1: row "keep"`},
		{"range\t-\t8\t0x28ffc+2", "1: no register at 0x29000"},
		{"hole\t-\t8\t0x28c78", `1: strconv.ParseUint: parsing "": invalid syntax`},
	} {
		got := func() (got string) {
			defer func() { got = fmt.Sprint(recover()) }()
			readKnown(8, c.text)
			return ""
		}()
		if got != "cp: state.txt:"+c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if k := readKnown(8, "ignore\tVGT_INDEX_TYPE\t7\tanother generation's"); k.uses[slot(0x3090c)] != refused {
		t.Error("a row of another generation is used")
	}
}

// radeonsi turns the allocation of ordered append off before it counts with it.
func TestOrderedAllocation(t *testing.T) {
	b := newBench(7)
	b.must(t, p3(0x79, 4, 0), 0x41d, 0, 0, 0, p3(0x79, 4, 0), 0x41d, 1, 0, 0)
	if got := b.State.Reg(0x3107c); got != 0 {
		t.Errorf("GDS_OA_ADDRESS is %#x", got)
	}
}
