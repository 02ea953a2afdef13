package debug

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
)

// remember records the watched values before an instruction.
func (s *Session) remember(at *exec.Step) {
	if s.order.kind == toTarget || !s.watches.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touched = s.touched[:0]
	for _, p := range s.points {
		if p.Watch == nil {
			continue
		}
		p.old = p.Watch.read(p.old[:0], s.wave, at.Env)
		if p.Watch.On != Changes && len(p.old) > 0 && p.Watch.Bytes > 0 && len(s.touched) == 0 {
			s.touched = s.accessesOf(at)
		}
		p.used = p.Watch.On != Changes && len(p.old) > 0 && s.uses(p.Watch, at)
	}
}

// compare finds the watched values that an instruction has changed, or used.
func (s *Session) compare(at *exec.Step) {
	if s.order.kind == toTarget || !s.watches.Load() {
		return
	}
	s.mu.Lock()
	points := s.points
	s.mu.Unlock()
	for _, p := range points {
		if p.Watch == nil || p.old == nil {
			continue
		}
		p.now = p.Watch.read(p.now[:0], s.wave, at.Env)
		what := p.Watch.changed(p.old, p.now)
		switch {
		case p.Watch.On == Reads && !p.used, what == "" && !p.used:
			continue
		case what == "" || p.Watch.On == Reads:
			what = p.Watch.usedText(p.old)
		}
		h := &Halt{Pos: s.steps, Wave: s.wave, Step: at, Code: s.codeOf(at)}
		if !s.counts(p, h) {
			continue
		}
		if s.change != "" {
			s.change += "; "
		}
		s.change += fmt.Sprintf("%s by %s at %#x", what, h.Code.Text(at.PC), h.Code.Place(at.PC).Addr)
		s.changed, s.failed = append(s.changed, p), append(s.failed, h.Failed...)
	}
}

// usedText describes the use of a watched value.
func (w *Watch) usedText(data []byte) string {
	size := min(len(data), 4)
	if w.Bytes > 0 {
		size = max(1, min(w.Type.Bits()/8, len(data)))
	}
	verb := "read"
	if w.On == Uses {
		verb = "used"
	}
	if len(data) > size {
		return fmt.Sprintf("%s %s", w.Name, verb)
	}
	return fmt.Sprintf("%s = %s %s", w.Name, w.text(data, size), verb)
}

// uses reports whether the next instruction reads what is watched, or with Uses writes it.
func (s *Session) uses(w *Watch, at *exec.Step) bool {
	if w.Bytes == 0 {
		return w.usesRegister(at)
	}
	for i := range s.touched {
		t := &s.touched[i]
		if (!t.write || w.On == Uses) && w.meets(s.wave, at.Env, t) {
			return true
		}
	}
	return false
}

// usesRegister is uses for registers: those that the operands of the instruction name.
func (w *Watch) usesRegister(at *exec.Step) bool {
	d, ok := ir.Describe(at.Program)
	if !ok || at.State.Machine.Kind(w.Cells[0]).PerLane() && w.Lane >= 0 && at.State.Exec>>w.Lane&1 == 0 {
		return false
	}
	reads, writes := d.Operands(at.PC)
	if w.On == Uses {
		reads = slices.Concat(reads, writes)
	}
	return slices.ContainsFunc(reads, func(sp ir.Span) bool {
		return slices.ContainsFunc(w.Cells, func(c ir.Cell) bool {
			return c.File == sp.Cell.File && c.Index >= sp.Cell.Index && c.Index-sp.Cell.Index < sp.Count
		})
	})
}

// meets reports whether an access overlaps the watched bytes. Private memory that lies in global memory is compared
// there.
func (w *Watch) meets(by *Wave, env *exec.Env, t *touch) bool {
	if z := swizzleOf(by); w.Ref.Space == ir.PrivateSpace && z != nil {
		g, ok := env.Space(ir.GlobalSpace, 0).Segment(z.Segment)
		for n := uint64(0); ok && n < w.Bytes; {
			off, run := z.Addr(w.Ref.Lane, w.Ref.Addr+n)
			if t.over(ir.GlobalSpace, 0, g.Base+off, min(run, w.Bytes-n)) {
				return true
			}
			n += run
		}
		return false
	}
	if w.Ref.Space == ir.PrivateSpace && t.lane != w.Ref.Lane {
		return false
	}
	return t.over(w.Ref.Space, w.Ref.Bank, w.Ref.Addr, w.Bytes)
}

// A touch is an access of a lane to memory.
type touch struct {
	space ir.SpaceID
	bank  uint8
	lane  int
	addr  uint64
	bytes uint64
	write bool
}

func (t *touch) over(space ir.SpaceID, bank uint8, addr, n uint64) bool {
	return t.space == space && t.bank == bank && t.addr < addr+n && addr < t.addr+t.bytes
}

// accessesOf returns the memory accesses of the next instruction: it is run on a copy of the wave, without stores.
func (s *Session) accessesOf(at *exec.Step) []touch {
	p := s.probing[at.Program]
	if p == nil {
		p = &probing{code: &accessCode{Code: at.Program}}
		p.runner = ref.Watched(p).NewRunner(exec.NewProgram(p.code))
		s.probing[at.Program] = p
	}
	st, env := at.State.Snapshot(), *at.Env
	p.list, p.env = nil, &env
	env.Probes, env.Footprint, env.LiveOut = &exec.ProbeLog{Observer: p}, nil, nil
	p.runner.Run(st, &env, exec.Budget{Steps: 1, Exact: true})
	return p.list
}

// A probing is a program whose accesses are recorded.
type probing struct {
	code   *accessCode
	runner exec.Runner
	env    *exec.Env
	list   []touch
}

// Accessed implements exec.Watcher. Loads and stores are reported to Observe.
func (p *probing) Accessed(a *exec.Access) {
	if a.Kind == exec.AccessTexel || a.Kind == exec.AccessAttribute {
		p.list = append(p.list, touch{space: a.Space, bank: a.Bank, lane: a.Lane, addr: a.At, bytes: uint64(len(a.Data))})
	}
}

// Observe implements exec.Observer.
func (p *probing) Observe(e exec.Event) {
	for i := range e.Probes {
		x := &e.Probes[i]
		in := &p.code.accesses[x.Kind]
		n := 0
		for m := x.Lanes; m != 0 && n < len(x.Values); m &= m - 1 {
			t := touch{lane: bits.TrailingZeros64(m), bytes: uint64(in.mem.Bytes()), write: in.write}
			t.space, t.bank, t.addr = p.env.Resolve(&in.mem, x.Values[n])
			p.list = append(p.list, t)
			n++
			if in.atomic {
				t.write = true
				p.list = append(p.list, t)
			}
		}
	}
}

// accessCode is code with a probe before each memory access, without stores, and with loads in place of atomics.
type accessCode struct {
	ir.Code
	accesses []codeAccess
}

type codeAccess struct {
	mem           ir.Mem
	write, atomic bool
}

// Unwrap returns the original code.
func (c *accessCode) Unwrap() ir.Code { return c.Code }

// Block returns the block with its probes. Values keep their numbers.
func (c *accessCode) Block(at ir.Key) (*ir.Block, error) {
	b, err := c.Code.Block(at)
	if err != nil {
		return nil, err
	}
	n := *b
	n.Ops, n.Vals, n.Marks = nil, slices.Clone(b.Vals), slices.Clone(b.Marks)
	next := 0
	for i := range b.Ops {
		for ; next < len(n.Marks) && int(b.Marks[next].Op) == i; next++ {
			n.Marks[next].Op = int32(len(n.Ops))
		}
		in := b.Ops[i]
		switch in.Op {
		case ir.Load, ir.Store, ir.AtomicRMW:
			args := []ir.Val{in.Args[0]}
			mask, masked := b.Mask(&in)
			if masked {
				args = append(args, mask)
			} else if mask, err = n.Add(c.Machine(), ir.Inst{Op: ir.Const, Type: ir.I1, Imm: 1}); err != nil {
				return nil, err
			}
			c.accesses = append(c.accesses, codeAccess{in.Mem, in.Op == ir.Store, in.Op == ir.AtomicRMW})
			if _, err := n.Add(c.Machine(), ir.Inst{Op: ir.Probe, Type: b.Vals[in.Args[0]].Type, Imm: uint64(len(c.accesses) - 1), IO: ir.IOAttr{Count: 1}, Args: []ir.Val{in.Args[0], mask}}); err != nil {
				return nil, err
			}
			if in.Op == ir.Store {
				continue
			}
			if in.Op == ir.AtomicRMW {
				in.Op, in.Args = ir.Load, args
			}
		}
		n.Ops = append(n.Ops, in)
	}
	return &n, nil
}

// ParseWatch reads a watchpoint: a variable of the source, a register, a number in memory, or with ,N after it N
// bytes there.
func (at *Scope) ParseWatch(text string) (*Watch, error) {
	name, size, many := strings.Cut(text, ",")
	e, err := Parse(name)
	if err != nil {
		return nil, err
	}
	w, err := at.watchOf(e)
	switch {
	case err != nil:
		return nil, err
	case !many:
		return w, nil
	case w.Bytes == 0:
		return nil, fmt.Errorf("%s is no memory: a number of bytes does not go with it", name)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(size), 0, 32)
	if err != nil || n == 0 || n > MaxWatched {
		return nil, fmt.Errorf("%s bytes; want 1 to %d", size, MaxWatched)
	}
	if data, err := at.Read(w.Ref, n); err != nil || uint64(len(data)) < n {
		return nil, fmt.Errorf("only %d bytes are there", len(data))
	}
	w.Name, w.Bytes = text, n
	return w, nil
}

// watchOf returns a watchpoint for an expression.
func (at *Scope) watchOf(e *Expr) (*Watch, error) {
	o, err := e.Object(at)
	if err != nil {
		return nil, err
	}
	if o != nil {
		return o.Watch()
	}
	if cells, lane, t, ok := e.Register(at); ok {
		w := &Watch{Name: e.String(), Wave: at.Wave.Key, Cells: cells, Lane: lane, Type: at.Code.TypeOf(cells, at.PC, at.Wave.State.At.Key.Mode)}
		if t != nil {
			w.Type = *t
		}
		if k := at.Wave.State.Machine.Kind(cells[0]); k == ir.Lane1 || k == ir.Wave1 {
			w.Type = Type{Type: ir.I1}
		} else if k == ir.ExecMask {
			w.Type = u64
		}
		return w, nil
	}
	if r, t, ok := e.Memory(at); ok {
		if _, err := at.Read(r, uint64(t.Bits()/8)); err != nil {
			return nil, err
		}
		return &Watch{Name: e.String(), Wave: at.Wave.Key, Ref: r, Bytes: uint64(t.Bits() / 8), Type: t}, nil
	}
	if _, err := e.Eval(at); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s cannot be watched; variables, registers and memory can, such as n, v0[3], global[0x1000], or global[0x1000],64 for 64 bytes", e)
}
