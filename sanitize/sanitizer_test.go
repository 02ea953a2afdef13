package sanitize_test

import (
	"context"
	"testing"

	"github.com/heddle-gpu/heddle"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/irgen"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/sanitize"
)

// oneBlock is code of one block.
type oneBlock struct {
	m *ir.Machine
	b *ir.Block
}

func (c oneBlock) Machine() *ir.Machine            { return c.m }
func (c oneBlock) Text(uint64) string              { return "" }
func (c oneBlock) Block(ir.Key) (*ir.Block, error) { return c.b, nil }

// TestCosts: what a block adds to the counters does not depend on the checks that watch it.
func TestCosts(t *testing.T) {
	m := irgen.Machine()
	var lane ir.Cell
	for i := range m.Files {
		if m.Files[i].Kind == ir.Lane32 && !m.Files[i].Group {
			lane = ir.Cell{File: uint8(i)}
		}
	}
	b := &ir.Block{Key: ir.Key{PC: 0x100}, Next: 0x104, Marks: []ir.Mark{{PC: 0x100, Size: 4}}}
	add := func(in ir.Inst) ir.Val {
		v, err := b.Add(m, in)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	active, _ := m.Exec()
	e := add(ir.Inst{Op: ir.Get, Type: ir.I1, Cell: active})
	x := add(ir.Inst{Op: ir.Get, Type: ir.I32, Cell: lane})
	add(ir.Inst{Op: ir.Store, Type: ir.I32, Mem: ir.Mem{Space: ir.GlobalSpace, Elem: 4, Count: 1}, Args: []ir.Val{x, x, e}})
	add(ir.Inst{Op: ir.Wait})
	add(ir.Inst{Op: ir.End})
	want := exec.Costs(b)[1]
	for c := sanitize.Check(1); c <= sanitize.CheckAll|sanitize.CheckSync; c++ {
		s := sanitize.New(c, nil)
		for name, watch := range map[string]func(ir.Code, []exec.Window) ir.Code{
			"watch":  s.Watch,
			"filter": func(code ir.Code, w []exec.Window) ir.Code { code, _ = s.Filter(code, w, true); return code },
		} {
			s.Begins(b.Key)
			n, err := watch(oneBlock{m, b}, nil).Block(b.Key)
			if err != nil {
				t.Fatal(err)
			}
			if got := exec.Costs(n)[1]; got != want {
				t.Errorf("%v, %s: %+v, want %+v", c, name, got, want)
			}
		}
	}
}

// TestKept: launches that take turns run what has been made of their code, which engines have compiled.
func TestKept(t *testing.T) {
	m := irgen.Machine()
	b := &ir.Block{Key: ir.Key{PC: 0x100}, Next: 0x104, Marks: []ir.Mark{{PC: 0x100, Size: 4}}}
	if _, err := b.Add(m, ir.Inst{Op: ir.End}); err != nil {
		t.Fatal(err)
	}
	codes := []*blocks{{m, map[uint64]*ir.Block{0x100: b}}, {m, map[uint64]*ir.Block{0x100: b}}, {m, map[uint64]*ir.Block{0x100: b}}}
	for _, c := range []sanitize.Check{sanitize.CheckInit, sanitize.CheckRace, sanitize.CheckWait, sanitize.CheckMemory, sanitize.CheckSync, sanitize.CheckAll | sanitize.CheckSync} {
		s, first := sanitize.New(c, nil), map[int]ir.Code{}
		for i := range 2 * len(codes) {
			s.Begins(b.Key)
			code := s.Watch(codes[i%len(codes)], nil)
			if was := first[i%len(codes)]; was == nil {
				first[i%len(codes)] = code
			} else if code != was {
				t.Errorf("%v: code %d is made again", c, i%len(codes))
			}
		}
	}
}

// TestIdleAgain: an instruction that waits for nothing is told after a run that is undone, too; and no more once waves
// begin where something is outstanding when they come to it.
func TestIdleAgain(t *testing.T) {
	m := irgen.Machine()
	block := func(pc uint64, ops ...ir.Inst) *ir.Block {
		b := &ir.Block{Key: ir.Key{PC: pc}, Next: pc + 4, Marks: []ir.Mark{{PC: pc, Size: 4}}}
		for _, in := range ops {
			if _, err := b.Add(m, in); err != nil {
				t.Fatal(err)
			}
		}
		return b
	}
	code := &blocks{m, map[uint64]*ir.Block{
		0x100: block(0x100, ir.Inst{Op: ir.Jump, Imm: 0x200}),
		0x180: block(0x180, ir.Inst{Op: ir.Issue}, ir.Inst{Op: ir.Jump, Imm: 0x200}),
		0x200: block(0x200, ir.Inst{Op: ir.Wait}, ir.Inst{Op: ir.End}),
	}}
	s := sanitize.New(sanitize.CheckWait, nil)
	run := func(entry uint64) {
		s.Begins(ir.Key{PC: entry})
		n, err := s.Watch(code, nil).Block(ir.Key{PC: 0x200})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n.Ops {
			if in := &n.Ops[i]; in.Op == ir.Probe {
				s.Observe(exec.Event{Kind: exec.Probed, Probes: []exec.Probe{{Kind: in.Imm, PC: 0x200, Lanes: 1}}})
			}
		}
		s.Observe(exec.Event{Kind: exec.GroupEnd})
	}
	s.Save()
	run(0x100)
	s.Again()
	run(0x100)
	if list := s.Findings(); len(list) != 1 || list[0].Rule != "idle-wait" || list[0].Count != 1 {
		t.Errorf("after a run that is undone: %v", list)
	}
	run(0x180)
	if list := s.Findings(); len(list) != 0 {
		t.Errorf("something may be outstanding: %v", list)
	}
}

// blocks is code of several blocks.
type blocks struct {
	m  *ir.Machine
	at map[uint64]*ir.Block
}

func (c *blocks) Machine() *ir.Machine              { return c.m }
func (c *blocks) Text(uint64) string                { return "" }
func (c *blocks) Block(k ir.Key) (*ir.Block, error) { return c.at[k.PC], nil }

// TestAgain: what has been found since Save is dropped, and so is what has not been looked at.
func TestAgain(t *testing.T) {
	const text = "s_load_dwordx2 s[0:1], s[4:5], 0\nv_lshlrev_b32 v1, 6, v0\ns_movk_i32 s20, 33\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s1\n" +
		"v_add_u32 v2, vcc, s0, v1\nv_addc_u32 v3, vcc, 0, v3, vcc\nL:\nflat_store_dword v[2:3], v0\nv_add_u32 v2, vcc, 0x10000, v2\nv_addc_u32 v3, vcc, 0, v3, vcc\n" +
		"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 L\nv_mov_b32 v2, s0\nv_mov_b32 v3, s1\nflat_store_dword v[2:3], v0\ns_endpgm\n"
	p, err := heddle.MustFind("gfx803").Program(text, heddle.ProgramOptions{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	s := sanitize.New(sanitize.CheckRace, nil)
	s.Save()
	l := heddle.Launch{Grid: [3]uint32{1024}, Block: [3]uint32{1024}, Settings: launch.Settings{Watcher: s, Relaxed: true}}
	if _, err := p.Launch(context.Background(), l, make([]byte, 33<<16)); err != nil {
		t.Fatal(err)
	}
	if len(s.Findings()) == 0 || s.Incomplete() == "" {
		t.Errorf("%v, %q", s.Findings(), s.Incomplete())
	}
	if s.Again(); len(s.Findings()) != 0 || s.Incomplete() != "" {
		t.Errorf("after Again: %v, %q", s.Findings(), s.Incomplete())
	}
}
