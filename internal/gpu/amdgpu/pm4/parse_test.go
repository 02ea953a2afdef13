package pm4

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// header is a header of type 3 by its bits in the programming guides: count less one, opcode, predicate, shader type.
func header(op, n, low uint32) uint32 { return 3<<30 | (n-1)<<16 | op<<8 | low }

func TestNext(t *testing.T) {
	words := []uint32{header(0x15, 4, 2), 4, 1, 1, 0x45, 2 << 30, header(0x10, 2, 0), 7, 8, 0xffff1000, 1<<16 | 0x2c00, 5, 6, header(0xfe, 1, 1), 9, header(0x15, 2, 0), 1, 2}
	type row struct {
		typ, op     uint8
		name        string
		pred, comp  bool
		words       int
		addr        uint64
		description bool
	}
	want := []row{
		{3, 0x15, "DISPATCH_DIRECT", false, true, 4, 0x1000, true},
		{2, 0, "TYPE2", false, false, 0, 0x1014, false},
		{3, 0x10, "NOP", false, false, 2, 0x1018, true},
		{3, 0x10, "NOP", false, false, 0, 0x1024, true},
		{0, 0, "TYPE0", false, false, 2, 0x1028, false},
		{3, 0xfe, "PKT3_0xfe", true, false, 1, 0x1034, false},
		{3, 0x15, "DISPATCH_DIRECT", false, false, 2, 0x103c, false}, // not its size
	}
	i := 0
	for p, err := range Parse(8, words, 0x1000) {
		if err != nil {
			t.Fatal(err)
		}
		got := row{p.Type, p.Op, p.Name, p.Predicate, p.Compute, len(p.Body), p.Addr, p.Def != nil}
		if i >= len(want) || got != want[i] {
			t.Errorf("packet %d: %+v", i, got)
		}
		i++
	}
	if i != len(want) {
		t.Errorf("%d packets", i)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, c := range []struct {
		gen   int
		dma   bool
		words []uint32
		want  string
	}{
		{8, false, []uint32{2 << 30, 1 << 30}, "0x1004: word 1: header 0x40000000: packets of type 1 are reserved"},
		{8, false, []uint32{header(0x15, 4, 0), 1, 2}, "0x1000: word 0: header 0xc0031500: DISPATCH_DIRECT has 4 words after its header, and 2 are left"},
		{6, false, []uint32{0xffff1000}, "0x1000: word 0: header 0xffff1000: NOP has 16384 words after its header, and 0 are left"},
		{7, false, []uint32{3<<16 | 0x2c00, 1}, "0x1000: word 0: header 0x00032c00: TYPE0 has 4 words after its header, and 1 are left"},
		{7, true, []uint32{0, 0x3f}, "0x1004: word 1: header 0x0000003f: no packet has this opcode: its size is not known"},
		{7, true, []uint32{2, 0, 0, 5, 1}, "0x1000: word 0: header 0x00000002: WRITE_LINEAR has 9 words, and 5 are left"},
		{6, true, []uint32{6 << 28, 0}, "0x1000: word 0: header 0x60000000: FENCE has 4 words, and 2 are left"},
		{7, true, []uint32{1 | 2<<8}, "0x1000: word 0: header 0x00000201: no packet has this opcode: its size is not known"},
	} {
		seq := Parse(c.gen, c.words, 0x1000)
		if c.dma {
			seq = ParseDMA(c.gen, c.words, 0x1000)
		}
		var got error
		for _, err := range seq {
			got = err
		}
		if e := (*SyntaxError)(nil); !errors.As(got, &e) || got.Error() != c.want {
			t.Errorf("%x: %v, want %s", c.words, got, c.want)
		}
	}
	if _, err := Next(8, nil, 0); err == nil {
		t.Error("an empty stream has a packet")
	}
	if _, err := NextDMA(8, nil, 0); err == nil {
		t.Error("an empty stream has a DMA packet")
	}
}

// TestDump reads testdata/*.txt: streams with the text that they have. A line of words follows a line > gen, ring and
// address; the text is what follows up to the next >.
func TestDump(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(names) < 2 {
		t.Fatalf("%q: %v", names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(data), "\n> ")
		for _, block := range strings.Split(text, "\n> ") {
			head, rest, _ := strings.Cut(block, "\n")
			stream, want, _ := strings.Cut(rest, "\n")
			f := strings.Fields(head)
			gen, err1 := strconv.Atoi(f[0])
			at, err2 := strconv.ParseUint(f[2], 0, 64)
			if err := errors.Join(err1, err2); err != nil {
				t.Fatal(err)
			}
			var words []uint32
			for _, w := range strings.Fields(stream) {
				v, err := strconv.ParseUint(w, 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				words = append(words, uint32(v))
			}
			var out bytes.Buffer
			dump := Dump
			if f[1] == "dma" {
				dump = DumpDMA
			}
			if err := dump(&out, gen, words, at); err != nil {
				t.Errorf("%s: %s: %v", name, head, err)
			}
			if got := strings.TrimSpace(out.String()); got != strings.TrimSpace(want) {
				t.Errorf("%s: %s: got\n%s\nwant\n%s", name, head, got, strings.TrimSpace(want))
			}
		}
	}
}

// Fields of a packet do not overlap and lie within its words.
func TestPacketTables(t *testing.T) {
	rows := 0
	for _, table := range []*[len(generations)]defs{packets(), dmaPackets()} {
		for g := range table {
			for _, ds := range table[g] {
				for _, d := range ds {
					rows++
					checkDef(t, d)
				}
			}
		}
	}
	if rows < 250 {
		t.Errorf("only %d packets", rows)
	}
}

func checkDef(t *testing.T, d *Def) {
	words := map[int]uint32{0: d.opcode}
	claim := func(p Part, word int, f Field) {
		bits := f.Put(0, 0xffffffff)
		if words[word]&bits != 0 {
			t.Errorf("%s: %s overlaps", d.Name, p.Name)
		}
		words[word] |= bits
		if word >= d.Max {
			t.Errorf("%s: %s is in word %d of %d", d.Name, p.Name, word, d.Max)
		}
	}
	seen := map[string]bool{}
	for _, p := range d.Parts {
		if seen[p.Name] {
			t.Errorf("%s: two fields are %s", d.Name, p.Name)
		}
		seen[p.Name] = true
		if p.Rest {
			if p.Word > d.Min {
				t.Errorf("%s: %s", d.Name, p.Name)
			}
			continue
		}
		claim(p, p.Word, p.Bits)
		if p.High >= 0 {
			claim(p, p.High, p.Top)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(8, false, []byte{0, 0x15, 3, 0xc0, 4, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0x45, 0, 0, 0})
	f.Add(6, true, []byte{0, 0, 0, 0xf0, 2, 0, 0, 0x20})
	f.Add(7, false, []byte{0, 0x10, 0xff, 0xff, 0, 0x69, 1, 0xc0, 0xff, 0xff, 0, 0})
	f.Fuzz(func(t *testing.T, gen int, dma bool, data []byte) {
		words := make([]uint32, len(data)/4)
		for i := range words {
			words[i] = uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 | uint32(data[4*i+3])<<24
		}
		seq, dump := Parse(gen, words, 0x1000), Dump
		if dma {
			seq, dump = ParseDMA(gen, words, 0x1000), DumpDMA
		}
		size, last := 0, error(nil)
		for p, err := range seq {
			if last = err; err != nil {
				break
			}
			if p.Addr != 0x1000+uint64(size)*4 || p.Size() < 1 {
				t.Fatalf("packet at %#x of %d words, want at %#x", p.Addr, p.Size(), 0x1000+size*4)
			}
			size += p.Size()
		}
		if last == nil && size != len(words) {
			t.Fatalf("%d of %d words", size, len(words))
		}
		var out bytes.Buffer
		err := dump(&out, gen, words, 0x1000)
		if (err == nil) != (last == nil) {
			t.Fatalf("dump: %v, parse: %v", err, last)
		}
		if out.Len() > 4096*(len(words)+1) {
			t.Fatalf("%d bytes of text for %d words", out.Len(), len(words))
		}
	})
}
