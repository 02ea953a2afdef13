package vectors

import (
	"slices"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// A testRun is a test being made: a bundle and its plan, and the random numbers for its state.
type testRun struct {
	*rowRun
	plan    *plan
	src     *source
	bundle  *isa.Bundle
	index   int
	attempt int
	mode    uint32
}

// make fills the state, runs the instruction and records both states.
func (t *testRun) make(code *single, bytes []byte) (*Test, error) {
	s, st, p := t.setting, t.st, t.plan
	s.begin(st, codeBase, ones(p.lanes))
	t.fill(st)
	t.before.Restore(st)
	prog := exec.NewProgram(code)
	runner := t.engine.NewRunner(prog)
	ready := func() { st.Restore(t.before) }
	seed := t.src.next()
	io := &ports{lanes: p.lanes, fill: t.inputs(seed)}
	var ram memory
	if p.memory {
		var err error
		if ram, err = s.reach(prog, runner, st, io, ready, t.bytes(seed)); err != nil {
			return nil, err
		}
		ready()
	}
	io.out = nil
	env, err := s.env(ram, io, st.Lanes)
	if err != nil {
		return nil, err
	}
	if err := step(runner, prog, st, env); err != nil {
		return nil, err
	}
	test := &Test{Name: code.text, ISA: t.isa, Stage: t.row.Stage, Encoding: t.row.Encoding, Bytes: bytes, Lanes: p.lanes}
	t.judge(test)
	test.Initial.In, test.Final.Out = inOrder(io.in), inOrder(io.out)
	return test, t.write(test, ram, env)
}

// write records the state before, and the state after as far as it has changed or may have.
func (t *testRun) write(test *Test, ram memory, env *exec.Env) (err error) {
	s, p := t.setting, t.plan
	cells := slices.Clone(p.cells)
	var after []ir.Cell
	for f := range p.machine.Files {
		for i := range p.machine.Files[f].Count {
			c := ir.Cell{File: uint8(f), Index: uint16(i)}
			if p.machine.Kind(c) == ir.ExecMask {
				continue
			}
			changed := !t.before.Same(t.st, c)
			if changed && t.outside(c) {
				return refusal("it writes lanes that do not exist")
			}
			if changed || p.writes[c] {
				after = append(after, c)
				if !slices.Contains(cells, c) {
					cells = append(cells, c)
				}
			}
		}
	}
	if m := p.machine; m.ModeMask != 0 && !slices.Contains(cells, m.Mode) {
		cells = append(cells, m.Mode)
	}
	slices.SortFunc(cells, byPlace)
	test.Initial.PC, test.Initial.RAM, test.Initial.Stack = []uint64{codeBase}, ram, slices.Clone(t.before.Stack)
	if test.Initial.Regs, err = s.regs(t.before, cells, p.exec, p.lanes); err != nil {
		return err
	}
	s.place(t.st, p.lanes, &test.Final)
	if pc := test.Final.PC; slices.ContainsFunc(pc, func(at uint64) bool { return at>>48 != 0 }) {
		return refusal("it goes on at an address of more than 48 bits")
	}
	sets := (p.sets || t.st.Exec != t.before.Exec) && !t.st.Ended()
	if test.Final.Regs, err = s.regs(t.st, after, sets, p.lanes); err != nil {
		return err
	}
	test.Final.RAM, err = ram.after(env)
	return err
}

// outside reports whether a register has changed in a lane outside the test's lanes.
func (t *testRun) outside(c ir.Cell) bool {
	if !t.plan.machine.Kind(c).PerLane() {
		return false
	}
	for lane := t.plan.lanes; lane < t.st.Lanes; lane++ {
		if t.before.Get(c, lane) != t.st.Get(c, lane) {
			return true
		}
	}
	return false
}

// A number is what one operand reads: bits of a cell, or of two consecutive cells.
type number struct {
	cell ir.Cell
	at   int
	shape
}

// numbers returns the numbers in the cells as the program reads them.
func (p *plan) numbers() (list []number) {
	for _, c := range p.cells {
		if !p.reads[c] {
			continue
		}
		width := widthOf(p.machine.Kind(c))
		rest, begins := false, false // of a number that began in the previous cell
		for _, x := range p.formats[c] {
			rest = rest || x.At < 0
			if x.At == 0 && x.Bits == 2*width && width > 1 {
				list, begins = append(list, number{c, 0, shape{x.Bits, x.Kind}}), true
			}
		}
		if rest || begins {
			continue
		}
		at, shapes := shapesOf(p.formats[c], width)
		for i := range at {
			list = append(list, number{c, at[i], shapes[i]})
		}
	}
	return list
}

// fill sets registers before the instruction.
func (t *testRun) fill(st *exec.State) {
	p := t.plan
	for _, c := range p.cells { // bits that are no part of a number, and cells that are only written
		t.each(st, c, func(lane int) uint64 { return t.src.next() })
	}
	edges := t.index < (t.o.Count+1)/2 && t.attempt < freeAfter*2
	for k, n := range p.numbers() {
		lanes, list := p.machine.Kind(n.cell).PerLane(), t.edges.of(n.shape)
		for lane := range t.count(n.cell) {
			slot := t.index
			if lanes {
				slot = t.index*p.lanes + lane
			}
			t.put(st, n, lane, t.src.value(n.shape, list, k, slot, edges))
		}
	}
	addr := t.addresses()
	for _, c := range p.cells {
		if u, ok := p.uses[c]; ok && u != asNumber {
			t.each(st, c, func(lane int) uint64 { return t.used(u, lane, addr) })
		}
	}
	if m := p.machine; m.ModeMask != 0 {
		st.Set(m.Mode, 0, t.mode)
	}
	t.recipe(st)
	lanes := t.running()
	if p.machine.Control == ir.MaskData {
		st.Exec = lanes
		st.Goto(codeBase)
		return
	}
	st.Start(codeBase, lanes)
	if p.machine.Control == ir.MaskStack {
		st.Stack = append(st.Stack, t.stack(lanes)...)
		for _, k := range st.Stack {
			st.Live |= k.Parked
		}
	}
}

// stack returns a control stack on which the step that ends the instruction is valid: with an entry to reconverge at,
// to break to, to return to, or with the lanes that ran before helper lanes did. In half of the tests inactive lanes
// wait in that entry, or in a branch entry on top of it.
func (t *testRun) stack(running uint64) (list []exec.Token) {
	term := t.plan.block.Term()
	for i := range t.plan.block.Ops {
		if in := &t.plan.block.Ops[i]; in.Op == ir.CtlCheck {
			term = in
		}
	}
	if term.Op != ir.CtlStep && term.Op != ir.CtlStepX && term.Op != ir.CtlCheck {
		return nil
	}
	others := ones(t.plan.lanes) &^ running
	token := exec.Token{PC: codeBase + 0x40, Mask: running | others}
	switch ir.ControlKind(term.Alt) {
	case ir.CtlJoin:
		token.Kind = exec.TokenMeet
	case ir.CtlBreak:
		token.Kind = exec.TokenBreak
	case ir.CtlReturn:
		if token.Kind = exec.TokenCall; t.src.one(4) {
			return nil // without a call, return ends lanes
		}
	case ir.CtlQuadPop:
		return []exec.Token{{Kind: exec.TokenQuad, Mask: running & (t.src.next() | 1<<t.src.below(t.plan.lanes))}}
	default:
		return nil
	}
	if others != 0 && t.src.one(2) {
		return []exec.Token{token, {Kind: exec.TokenBranch, PC: codeBase + 0x20, Mask: running | others, Parked: others}}
	}
	token.Parked = others
	return []exec.Token{token}
}

// count returns how many values of a cell a test lists.
func (t *testRun) count(c ir.Cell) int {
	if t.plan.machine.Kind(c).PerLane() {
		return t.plan.lanes
	}
	return 1
}

func (t *testRun) each(st *exec.State, c ir.Cell, value func(lane int) uint64) {
	for lane := range t.count(c) {
		st.Set(c, lane, uint32(value(lane)))
	}
}

// put writes a number to its cells.
func (t *testRun) put(st *exec.State, n number, lane int, v uint64) {
	if n.bits > 32 {
		st.Set(n.cell, lane, uint32(v))
		st.Set(ir.Cell{File: n.cell.File, Index: n.cell.Index + 1}, lane, uint32(v>>32))
		return
	}
	mask := uint32(ones(n.bits)) << n.at
	st.Set(n.cell, lane, st.Get(n.cell, lane)&^mask|uint32(v)<<n.at&mask)
}

// running returns the active lanes: all in half of the tests, else a random set, seldom one lane or, where the mask is
// data, none.
func (t *testRun) running() uint64 {
	all := ones(t.plan.lanes)
	if !t.plan.exec || t.index%4 < 2 {
		return all
	}
	mask := t.src.next() & all
	if t.src.one(8) {
		mask = 1 << t.src.below(t.plan.lanes)
	}
	if t.src.one(16) && t.plan.machine.Control == ir.MaskData {
		return 0
	}
	if mask == 0 {
		return all
	}
	return mask
}

// An addressing is the pattern of the addresses of lanes.
type addressing struct {
	base  uint64
	how   int
	align uint64
	high  uint64
}

// addresses chooses the pattern: consecutive, random, all the same, or two at each address. In the first attempts they
// need not be aligned.
func (t *testRun) addresses() addressing {
	a := addressing{base: 0x1000 + 16*uint64(t.src.below(128)), how: t.src.below(4), align: 4, high: uint64(t.src.below(3))}
	switch {
	case t.attempt == 0 && t.src.one(4):
		a.align = 1
	case t.attempt > 2:
		a.align = 16
	}
	return a
}

// used returns the value of a register that is no number.
func (t *testRun) used(u use, lane int, a addressing) uint64 {
	switch u {
	case asHigh:
		return a.high
	case asIndex:
		return uint64(t.src.below(window / 2))
	case asLane:
		if t.src.one(8) {
			return t.src.next() & 0xff
		}
		return uint64(t.src.below(t.plan.lanes)) << (2 * t.src.below(2))
	}
	switch a.how {
	case 0:
		return a.base + uint64(lane)*max(a.align, 4)
	case 1:
		return (a.base + uint64(t.src.below(0x400))) &^ (a.align - 1)
	case 2:
		return a.base
	}
	return a.base + uint64(lane/2)*16
}

// inputs returns the outputs of the previous stage: edge values of f32 in half of the cases, else random bits.
func (t *testRun) inputs(seed uint64) func(port, int) uint64 {
	edges := t.edges.of(shape{32, meaning.Float})
	return func(p port, lane int) uint64 {
		r := newSource(seed, p.how, decimal(int(p.slot)), decimal(p.component), decimal(lane))
		return r.value(shape{32, meaning.Float}, edges, 0, t.index*t.plan.lanes+lane, r.one(2))
	}
}

// bytes returns the memory before the instruction: half of its words are edge values of f32, the others random bits.
func (t *testRun) bytes(seed uint64) func(place, uint64) byte {
	edges := t.edges.of(shape{32, meaning.Float})
	return func(p place, addr uint64) byte {
		r := source{seed ^ mix(addr>>2<<16|uint64(p.space)<<12|uint64(p.bank)<<6|uint64(p.lane))}
		v := r.next()
		if r.one(2) {
			v = pick(&r, edges)
		}
		return byte(v >> (addr & 3 * 8))
	}
}
