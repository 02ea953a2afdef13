package manual

import (
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/sets"
)

// TestTerms: every term cites an existing section, no two terms of a target have the same name, and the width per lane
// or wave that a term gives for a register is that of the machine.
func TestTerms(t *testing.T) {
	for _, s := range sets.Sets() {
		if s.Terms == nil {
			t.Errorf("%s explains no registers", s.Name)
			continue
		}
		checked := 0
		for v := range s.Variants {
			target := s.At(v, 0)
			seen := map[string]bool{}
			for _, m := range s.Terms() {
				if m.Variants != 0 && m.Variants>>v&1 == 0 {
					continue
				}
				if seen[m.Name] {
					t.Errorf("%s: %s is there twice", target, m.Name)
				}
				seen[m.Name] = true
				if len(sections(m.Source)) == 0 {
					t.Errorf("%s: %s: no section %q", target, m.Name, m.Source)
				}
				word := strings.Replace(m.Name, "#", "0", 1)
				if got, err := target.Term(strings.ToUpper(word)); got == nil || err != nil {
					t.Errorf("%s: %s is not found: %v", target, word, err)
				}
				cells, err := s.Cell(v, word)
				if err != nil || len(cells) == 0 {
					continue
				}
				checked++
				lane := strings.Contains(m.Size, "lane") || strings.Contains(m.Size, "thread,") || strings.Contains(m.Size, "per thread")
				if k := target.Machine().Kind(cells[0]); k.PerLane() != lane && !strings.Contains(word, "exec") && m.Name != "vcc" && word != "pe" && m.Name != "helper" {
					t.Errorf("%s: %s is %q, and its cell is %v", target, word, m.Size, k)
				}
				if strings.HasSuffix(m.Name, "#") && m.Most > 0 {
					last := strings.Replace(m.Name, "#", "1", 1)
					if _, err := s.Cell(v, last); err != nil {
						t.Errorf("%s: %s goes to %d, and %s is no register: %v", target, m.Name, m.Most, last, err)
					}
				}
			}
		}
		if checked < 5 {
			t.Errorf("%s: %d terms are registers with cells", s.Name, checked)
		}
	}
}

// TestTermNumbers: register numbers end where the reference says.
func TestTermNumbers(t *testing.T) {
	namedAs(t, []termCase{
		{"gcn:gfx8", "v255", "32 bits per lane"},
		{"gcn:gfx8", "v256", "numbers of vN go from 0 to 255"},
		{"gcn:gfx8", "s101", "32 bits per wave"},
		{"gcn:gfx8", "s102", "from 0 to 101"},
		{"gcn:gfx6", "s103", "32 bits per wave"},
		{"gcn:gfx6", "flat_scratch", ""}, // gfx7 and later
		{"gcn:gfx8", "vcc_lo", "32 bits per wave"},
		{"gcn:gfx8", "s[4:", ""},
		{"tesla:g80", "$r127", "32 bits per thread"},
		{"tesla:g80", "$r128", "from 0 to 127"},
		{"tesla:g80", "$c3", "4 flags per thread"},
		{"tesla:g80", "$a8", "from 0 to 7"},
		{"valhall:v9", "r60", "32 bits per lane"},
		{"valhall:v9", "r64", "from 0 to 63"},
		{"valhall:v9", "wait01", "an action"},
		{"rogue:rogue", "r247", "32 bits per lane"},
		{"rogue:rogue", "drc1", "a count per task"},
		{"rogue:rogue", "sr97", "32 bits per lane"},
		{"rogue:rogue", "tiled_st_comp0", "32 bits per lane"},
		{"rogue:rogue", "drc2", "from 0 to 1"},
		{"attila:attila", "i6.x", "1 of four components of 32 bits per thread: x"},
		{"attila:attila", "r32", "from 0 to 31"},
		{"attila:attila", "v0", ""},
	})
}

// TestTermRanges: several registers, components and counters with a number; errors for ranges that do not exist.
func TestTermRanges(t *testing.T) {
	namedAs(t, []termCase{
		{"gcn:gfx8", "s[4:7]", "4 registers, 128 bits per wave"},
		{"gcn:gfx8", "v[0:3]", "4 registers, 128 bits per lane"},
		{"gcn:gfx8", "v[1:2]", "2 registers, 64 bits per lane"},
		{"gcn:gfx8", "v[7:7]", "32 bits per lane"},
		{"gcn:gfx8", "v[7]", "32 bits per lane"},
		{"gcn:gfx8", "v[250:300]", "v[250:300] is invalid for gcn:gfx8: there is no such register: numbers of vN go from 0 to 255"},
		{"gcn:gfx8", "v[3:0]", "the first register has the lower number: want 0 to 3"},
		{"gcn:gfx8", "s[1:2]", "2 registers of sN together begin at a multiple of 2"},
		{"gcn:gfx8", "s[2:5]", "4 registers of sN together begin at a multiple of 4"},
		{"gcn:gfx8", "ttmp[2:3]", "2 registers, 64 bits per wave"},
		{"gcn:gfx8", "vmcnt(3)", "bits per wave"},
		{"gcn:gfx8", "vmcnt(16)", "vmcnt takes a number from 0 to 15"},
		{"gcn:gfx8", "vcc(1)", ""},
		{"tesla:g80", "$r4d", "64 bits per thread"},
		{"tesla:g80", "$r3d", "numbers of $rNd are multiples of 2"},
		{"tesla:g80", "$r2q", "multiples of 4"},
		{"valhall:v9", "r0:r1", "2 registers, 64 bits per lane"},
		{"valhall:v9", "r4r5", "2 registers, 64 bits per lane"},
		{"valhall:v9", "r1:r2", "begin at a multiple of 2"},
		{"valhall:v9", "r62:r65", "from 0 to 63"},
		{"rogue:rogue", "r[28..29]", "2 registers, 64 bits per lane"},
		{"rogue:rogue", "r[29..28]", "want 28 to 29"},
		{"rogue:rogue", "sh[4]", "32 bits per workgroup"},
		{"attila:attila", "r1.xy", "2 of four components of 32 bits per thread: x, y"},
		{"attila:attila", "r1.xq", ""},
	})
}

// A termCase is a word of a set, and a part of its size or error; "": it is no term.
type termCase struct{ isa, word, want string }

func namedAs(t *testing.T, list []termCase) {
	t.Helper()
	for _, c := range list {
		target, err := sets.Lookup(c.isa)
		if err != nil {
			t.Fatal(err)
		}
		pg, err := TermOf(target, c.word)
		got := ""
		if err != nil {
			got = err.Error()
		} else if pg != nil {
			got = pg.Size
		}
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s %s: %q, want %q", c.isa, c.word, got, c.want)
		}
	}
}

// TestWaits: pages of instructions that wait, or that others wait for, say what is waited for.
func TestWaits(t *testing.T) {
	for _, c := range []struct {
		isa, text string
		want      []string
	}{
		{"gcn:gfx8", "s_waitcnt vmcnt(2) lgkmcnt(0)", []string{"vmcnt(2): waits until at most 2 are pending", "expcnt(7): does not wait", "lgkmcnt(0): waits until none is pending"}},
		{"gcn:gfx8", "s_barrier", []string{"until all waves of the workgroup"}},
		{"gcn:gfx8", "flat_load_dword v0, v[2:3]", []string{"Counts in vmcnt", "Counts in lgkmcnt"}},
		{"gcn:gfx8", "s_load_dword s0, s[2:3], 0x0", []string{"Counts in lgkmcnt"}},
		{"gcn:gfx6", "buffer_store_dword v0, off, s[0:3], 0", []string{"Counts in vmcnt", "Counts in expcnt"}},
		{"valhall:v9", "NOP.wait02", []string{".wait02: after the instruction, waits until no message is pending on slots 0, 2"}},
		{"valhall:v9", "BARRIER.slot7.wait", []string{"slot 7", "slots 0, 1, 2"}},
		{"rogue:rogue", "wdf", []string{"data fence DRC0"}},
		{"tesla:g80", "joinat 0x0", []string{"run together again"}},
		{"gcn:gfx8", "v_add_f32 v0, v1, v2", nil},
		{"tesla:g80", "nop", nil},
	} {
		target, err := sets.Lookup(c.isa)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := Pages(target, c.text, 0)
		if err != nil {
			t.Errorf("%s %s: %v", c.isa, c.text, err)
			continue
		}
		got := strings.Join(pages[0].Waits, "\n")
		for _, w := range c.want {
			if !strings.Contains(got, w) {
				t.Errorf("%s %s: %q lacks %q", c.isa, c.text, got, w)
			}
		}
		if c.want == nil && got != "" {
			t.Errorf("%s %s: %q", c.isa, c.text, got)
		}
	}
}

// TestCostOfPage: a page has the cost of an instruction for a thread, by the rates of docs/reference/valhall.md 14;
// other sets have no figures.
func TestCostOfPage(t *testing.T) {
	for _, c := range []struct{ isa, text, want string }{
		{"valhall:v11", "FROUND.f32.rtn r0, r1", "  fma: 2; per core and clock: 128 on Mali-G715, Mali-G615\n"},
		{"valhall:v14", "BRANCHZ.eq r1, offset:2", "  cvt: 1; no source says how many a core executes per clock\n"},
		{"valhall:v9", "DOORBELL", "  msg: no source says what it costs\n"},
		{"valhall:v9", "LOAD.i32.slot0 @r0, r2, offset:0", "  ls: 1; no source says how many a core executes per clock\n"},
		{"valhall:v9", "BARRIER.slot7.wait", "  msg: Mesa counts nothing for it\n"}, {"gcn:gfx8", "v_add_f32 v0, v1, v2", ""},
	} {
		target, err := sets.Lookup(c.isa)
		if err != nil {
			t.Fatal(err)
		}
		pages, err := Pages(target, c.text, 0)
		if err != nil {
			t.Errorf("%s %s: %v", c.isa, c.text, err)
			continue
		}
		_, got, _ := strings.Cut(pages[0].Render(Paint{}, false), "\nCost of a thread\n")
		got, _, _ = strings.Cut(got, "\nFidelity")
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.isa, c.text, got, c.want)
		}
	}
}
