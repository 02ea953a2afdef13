package site

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/internal/meaning"
	"github.com/heddle-gpu/heddle/internal/ref"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// An input is a register that an instruction reads, with its format.
type input struct {
	reg     eval.Register
	operand string // name of the operand; "": no operand names the register
	format  meaning.Format
	address bool // a memory address depends on it
	memory  bool // the instruction accesses memory
	sampled bool // the instruction samples, and this input has no known format: a coordinate
}

// inputs returns the registers that a lifted bundle reads, under the names of its operands, pairs as one. Registers
// that the launch or the machine sets are excluded.
func inputs(r *row) (list []input) {
	t := r.t
	m := t.Machine()
	blk := t.LiftOne(r.bundle, eval.StartMode(t)&m.ModeMask)
	fs := meaning.NewFormats()
	fs.Add(m, blk)
	taken, addresses := map[ir.Cell]bool{}, addressCells(blk)
	var cells []ir.Cell
	for i := range blk.Ops {
		in := &blk.Ops[i]
		mode := m.ModeMask != 0 && in.Cell == m.Mode
		if in.Op == ir.Get && m.Kind(in.Cell) != ir.ExecMask && !mode && !slices.Contains(cells, in.Cell) {
			cells = append(cells, in.Cell)
		}
	}
	add := func(name, operand string) {
		reg, err := eval.Lookup(t, name)
		if err != nil || len(reg.Cells) == 0 || !slices.Contains(cells, reg.Cells[0]) || slices.ContainsFunc(reg.Cells, func(c ir.Cell) bool { return taken[c] }) {
			return
		}
		in := input{reg: reg, operand: operand, memory: len(addresses) > 0}
		var formats []meaning.Format
		for _, c := range reg.Cells {
			taken[c] = true
			in.address = in.address || addresses[c]
			formats = append(formats, fs.Reads[c])
		}
		in.format = meaning.Join(formats, reg.Bits/len(reg.Cells))
		in.sampled = reg.Lanes && len(in.format) == 0 && slices.Contains(r.ops, ir.Sample)
		list = append(list, in)
	}
	for i := range r.pg.Parts {
		for _, o := range r.pg.Parts[i].Operands {
			add(strings.Trim(o.Text, "-|"), o.Name)
		}
	}
	for _, c := range cells {
		if !taken[c] {
			add(t.RegisterName(c), "")
		}
	}
	return list
}

// addressCells returns the cells from which the addresses of a block's memory accesses are computed.
func addressCells(b *ir.Block) map[ir.Cell]bool {
	cells, wanted := map[ir.Cell]bool{}, map[ir.Val]bool{}
	for i := len(b.Ops) - 1; i >= 0; i-- {
		in := &b.Ops[i]
		if in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.AtomicRMW {
			wanted[in.Args[0]] = true
		}
		for k := range int(in.NRes) {
			if !wanted[in.Res+ir.Val(k)] {
				continue
			}
			if in.Op == ir.Get {
				cells[in.Cell] = true
			}
			if in.Op == ir.Load || in.Op == ir.AtomicRMW {
				continue // a loaded value is no part of the address of this access
			}
			for _, v := range in.Args {
				wanted[v] = true
			}
		}
	}
	return cells
}

// A descriptor is the value of an operand of so many words in examples; without it the instruction accesses nothing.
type descriptor struct {
	set, operand string
	words        int
	value        string
	step         int // distance of the values of other operands, which are offsets or coordinates; 0: they are not
}

// descriptors are as in docs/reference/gcn.md 8.1 and 8.4.1: a buffer of 512 bytes of f32 at 0x1000; a linear image of
// 8 by 8 texels of f32 there; a sampler that selects the nearest texel.
var descriptors = [...]descriptor{
	{"gcn", "srsrc", 4, "(0x1000,0,0x200,0x27fac)", 4},
	{"gcn", "sbase", 4, "(0x1000,0,0x200,0x27fac)", 4},
	{"gcn", "srsrc", 8, "(0x10,0x1c400000,0x1c007,0x90800fac,0xe000,0,0,0)", 1},
	{"gcn", "ssamp", 4, "(0,0,0,0)", 1},
	{"gcn", "m0", 1, "-1", 0}, // the limit of group memory
}

// descriptorOf returns the descriptor for an input; nil: it is none.
func descriptorOf(set string, in *input) *descriptor {
	for i := range descriptors {
		if d := &descriptors[i]; d.set == set && (d.operand == in.operand || d.operand == in.reg.Name && in.memory) && d.words == len(in.reg.Cells) {
			return d
		}
	}
	return nil
}

// lanes is the number of lanes of an example: the first have typical values, the others edge cases.
const lanes = 5

// The values of operands by format and position: the first operand read in a format, the second, and so on. Shift
// amounts and divisors are second operands, and small.
var (
	floats   = [...][lanes]string{{"1.5", "-2.0", "0.1", "-0.0", "1e-40"}, {"2.25", "inf", "-0.5", "0.0", "1.0"}, {"0.5", "-1.0", "8.0", "1.0", "nan"}}
	halves   = [...][lanes]string{{"1.5", "-2.0", "0.1", "-0.0", "6e-8"}, {"2.25", "inf", "-0.5", "0.0", "1.0"}, {"0.5", "-1.0", "8.0", "1.0", "nan"}}
	integers = [...][lanes]string{{"7", "-3", "100000", "-1", "0x80000000"}, {"5", "2", "31", "1", "-1"}, {"3", "8", "1", "-1", "1"}}
	bitwise  = [...][lanes]string{{"0x12345678", "0xdeadbeef", "0xff00ff00", "0", "0xffffffff"}, {"0x0000ffff", "0x80000001", "0x33333333", "0xffffffff", "1"}, {"8", "4", "0x0f0f0f0f", "0", "2"}}
)

// The memory of examples: aligned for all accesses, and at a low address that every space has. If there is a
// descriptor, addresses are offsets.
const (
	exampleAt = 0x1000
	apart     = 16
)

// value returns the value of operand n in a lane: for a register of more than 64 bits, one value for each of its words.
func (e *example) value(in *input, n, lane int) string {
	if d := descriptorOf(e.t.Name, in); d != nil {
		return d.value
	}
	if in.address && in.reg.Bits >= 16 && in.reg.Bits <= 64 && !in.format.Floats() {
		if e.step != 0 {
			return fmt.Sprint(lane * e.step)
		}
		return fmt.Sprintf("%#x", exampleAt+lane*apart)
	}
	if in.reg.Bits <= 64 {
		return number(in, n, lane)
	}
	var list []string
	word := in.reg.Bits / len(in.reg.Cells)
	for i := range in.reg.Cells {
		part := input{sampled: in.sampled, reg: eval.Register{Bits: word, Cells: in.reg.Cells[i : i+1]}, format: in.format.Cut(i*word, word)}
		list = append(list, number(&part, n, (lane+i)%lanes))
	}
	return "(" + strings.Join(list, ",") + ")"
}

// number returns a value of up to 64 bits.
func number(in *input, n, lane int) string {
	f := in.format
	pick := func(table [][lanes]string) string { return table[n%len(table)][lane] }
	switch {
	case in.sampled:
		return coordinates[lane]
	case len(f) > 1 && f.Floats() && len(in.reg.Cells) == 1:
		var list []string
		for k := range f {
			list = append(list, pick(rotated(halves[:], k)))
		}
		return "(" + strings.Join(list, ",") + ")"
	case len(f) == 1 && f[0].Kind == meaning.Float && f[0].Bits == 16:
		return pick(halves[:])
	case f.Floats() && len(f) == 1:
		return pick(floats[:])
	case in.reg.Bits == 1:
		return fmt.Sprint(lane & 1)
	case in.reg.Bits < 16:
		return fmt.Sprint(lane % (1 << in.reg.Bits))
	case len(f) > 0 && f[0].Kind == meaning.Mask:
		return "0b01010101"
	case len(f) > 0:
		return pick(integers[:])
	}
	return pick(bitwise[:])
}

// coordinates are the centres of texels of a picture of eight.
var coordinates = [lanes]string{"0.0625", "0.4375", "0.9375", "0.1875", "0.6875"}

// rotated returns a table that starts k rows later.
func rotated(table [][lanes]string, k int) [][lanes]string {
	k %= len(table)
	return append(slices.Clone(table[k:]), table[:k]...)
}

// An example is a run of one bundle.
type example struct {
	t       *isa.Target
	text    string
	assigns []eval.Assign
	state   []string // in the syntax of eval
	memory  []eval.Region
	result  *eval.Result
	runs    []*eval.Result // for an instruction without lanes: one for each column of values
	fault   string
	step    int // distance of offsets and coordinates if there is a descriptor; 0: there is none
}

// assemble makes a program of a row's instruction from its text, or from its bytes if the text is valid only together
// with others; nil if neither works, because the instruction is a part of a group and no bundle has it alone.
func (r *row) assemble() (p *eval.Program, source string) {
	for _, source := range []string{r.pg.Text, r.pg.Hex} {
		if source == "" {
			continue
		}
		if p, errs := eval.Assemble(r.t, source); len(errs) == 0 && len(p.Text()) == 1 {
			return p, source
		}
	}
	return nil, ""
}

// run makes the example of a row: one run with one value per lane, or, for an instruction without lanes, one run per
// value.
func (r *row) run(p *eval.Program) (*example, error) {
	e := &example{t: r.t, text: r.pg.Text}
	ins := inputs(r)
	perLane := slices.ContainsFunc(ins, func(in input) bool { return in.reg.Lanes })
	if perLane {
		return e, e.once(p, ins, -1)
	}
	for lane := range lanes {
		one := &example{t: r.t, text: e.text}
		if err := one.once(p, ins, lane); err != nil {
			return nil, err
		}
		if lane == 0 {
			*e = *one
		}
		if one.fault != "" {
			if len(e.runs) == 0 {
				break
			}
			continue
		}
		if e.runs = append(e.runs, one.result); len(ins) == 0 {
			break
		}
	}
	return e, nil
}

// mostRegions limits the memory regions that are added where an instruction accesses memory.
const mostRegions = 10

// once runs the program with one value per lane, or, for per-wave instructions, with the values of one lane.
func (e *example) once(p *eval.Program, ins []input, lane int) error {
	for i := range ins {
		if d := descriptorOf(e.t.Name, &ins[i]); d != nil {
			e.step = d.step
		}
	}
	for n := range ins {
		in := &ins[n]
		text := in.reg.Name + "="
		switch {
		case lane >= 0:
			text += e.value(in, n, lane)
		case in.reg.Lanes:
			for k := range min(lanes, e.t.Machine().Widths[0]) {
				if k > 0 {
					text += ","
				}
				text += e.value(in, n, k)
			}
		default:
			text += e.value(in, n, 0)
		}
		a, err := p.ParseAssign(text)
		if err != nil {
			return fmt.Errorf("%s: %w", e.text, err)
		}
		if a.Format == nil {
			a.Format = in.format
		}
		e.assigns, e.state = append(e.assigns, a), append(e.state, text)
	}
	set := eval.Setup{Regs: e.assigns, Lanes: lanes, Steps: 100, Engine: ref.New()}
	for range mostRegions {
		set.Memory = e.memory
		r, err := p.Run(context.Background(), set)
		if err == nil {
			e.result = r
			return nil
		}
		var f *exec.Fault
		if !errors.As(err, &f) {
			return fmt.Errorf("%s: %w", e.text, err)
		}
		e.fault = f.Reason()
		if !e.provide(f) {
			return nil
		}
	}
	return nil
}

// provide adds memory where a fault reports that there is none.
func (e *example) provide(f *exec.Fault) bool {
	const size = 256
	var m *mem.Fault
	if !errors.As(f, &m) || m.Align != 0 || m.Addr >= 1<<62 {
		return false
	}
	space := ir.GlobalSpace
	switch m.Space {
	case "global":
	case "group":
		space = ir.GroupSpace
	default:
		return false
	}
	at := m.Addr &^ (size - 1)
	for _, m := range e.memory {
		if m.Space == space && m.Addr < at+2*size && at < m.Addr+2*size {
			return false
		}
	}
	data := make([]byte, 2*size)
	for i := range data {
		data[i] = byte(at>>8) + byte(i)
	}
	e.memory = append(e.memory, eval.Region{Space: space, Name: fmt.Sprintf("mem%d", len(e.memory)), Addr: at, Data: data})
	e.fault = ""
	return true
}

// assigned returns the value of an assignment in a lane.
func assigned(a *eval.Assign, lane int) *big.Int {
	if len(a.Values) == 1 {
		return a.Values[0]
	}
	return a.Values[lane]
}
