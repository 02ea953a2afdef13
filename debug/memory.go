package debug

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/stepping"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
)

// A Ref is a location in the memory of a wave.
type Ref struct {
	Space ir.SpaceID
	Bank  uint8
	Lane  int // whose private memory
	Addr  uint64
}

// String returns a reference that ParseRef reads: global:0x1000, global.14:0x0, private@5:0x10.
func (r Ref) String() string {
	text := r.Space.String()
	if r.Bank != 0 {
		text += fmt.Sprintf(".%d", r.Bank)
	}
	if r.Space == ir.PrivateSpace {
		text += fmt.Sprintf("@%d", r.Lane)
	}
	return fmt.Sprintf("%s:%#x", text, r.Addr)
}

// ParseRef reads a reference. A bare number is an address in global memory.
func ParseRef(text string) (r Ref, err error) {
	where, addr, two := strings.Cut(text, ":")
	if !two {
		where, addr = ir.GlobalSpace.String(), text
	}
	where, lane, isLane := strings.Cut(where, "@")
	ok := false
	r.Space, r.Bank, ok = spaceNamed(where)
	if isLane {
		var n uint64
		n, err = strconv.ParseUint(lane, 10, 8)
		r.Lane = int(n)
	}
	if err == nil {
		r.Addr, err = strconv.ParseUint(addr, 0, 64)
	}
	if err != nil || !ok {
		return r, fmt.Errorf("%q: want SPACE:ADDRESS, such as global:0x1000, group:0, private@5:0x10", text)
	}
	return r, nil
}

// A Segment is a range of addresses that is backed by memory.
type Segment struct {
	Ref
	Name  string
	Bytes uint64
	Write bool // the code may write it
}

// Segments returns all segments of the wave except private memory.
func (at *Scope) Segments() (list []Segment) {
	for id, banks := range at.Env.Spaces {
		for bank, space := range banks {
			if space == nil {
				continue
			}
			for _, g := range space.Segments() {
				list = append(list, Segment{Ref{Space: ir.SpaceID(id), Bank: uint8(bank), Addr: g.Base}, g.Name, uint64(len(g.Data)), g.May()&mem.Write != 0})
			}
		}
	}
	return list
}

// Private returns the range of private memory of a lane in bank 0.
func (at *Scope) Private() (base, size uint64) {
	if z := swizzleOf(at.Wave); z != nil {
		g, _ := at.Env.Space(ir.GlobalSpace, 0).Segment(z.Segment)
		return 0, uint64(len(g.Data)) / z.Lanes
	}
	if len(at.Env.Private) == 0 || at.Env.Private[0] == nil {
		return 0, 0
	}
	p := at.Env.Private[0]
	return p.Base, p.Size
}

// Read returns up to n bytes at a location, as many as exist. The error says why there are none.
func (at *Scope) Read(r Ref, n uint64) ([]byte, error) {
	data, err := read(at.Env, at.Wave, r, n)
	return bytes.Clone(data), err
}

// swizzleOf returns the layout of a wave's private memory in global memory; nil: it is not there.
func swizzleOf(w *Wave) *loc.Swizzle {
	if w.Program == nil {
		return nil
	}
	d, ok := ir.Describe(w.Program)
	if !ok || d.From() == nil {
		return nil
	}
	return d.From().Private
}

// swizzled returns, in runs, the bytes of private memory that lies in a segment of global memory.
func swizzled(env *exec.Env, z *loc.Swizzle, lane int, addr, n uint64) (runs [][]byte, err error) {
	space := env.Space(ir.GlobalSpace, 0)
	g, ok := space.Segment(z.Segment)
	if !ok {
		return nil, fmt.Errorf("the kernel has no %s", z.Segment)
	}
	size := uint64(len(g.Data)) / z.Lanes
	if addr >= size {
		return nil, fmt.Errorf("nothing at %#x of private memory, which has %d bytes", addr, size)
	}
	for n = min(n, size-addr); n > 0; {
		off, run := z.Addr(lane, addr)
		run = min(run, n)
		runs = append(runs, g.Data[off:off+run])
		addr, n = addr+run, n-run
	}
	return runs, nil
}

// read is Scope.Read without a copy if the bytes are contiguous.
func read(env *exec.Env, w *Wave, r Ref, n uint64) ([]byte, error) {
	switch z := swizzleOf(w); {
	case r.Space == ir.PrivateSpace && z != nil:
		if r.Lane >= int(z.Lanes) {
			return nil, fmt.Errorf("no lane %d", r.Lane)
		}
		runs, err := swizzled(env, z, r.Lane, r.Addr, n)
		return bytes.Join(runs, nil), err
	case r.Space == ir.PrivateSpace:
		return stepping.Private(env, r.Bank, r.Lane, w.State.Lanes, r.Addr, n, nil)
	}
	data, err := stepping.Memory(env, r.Space, r.Bank, r.Addr)
	return data[:min(n, uint64(len(data)))], err
}

// Write changes memory before the present instruction, as many bytes as exist, even if the code may not write there.
func (s *Session) Write(r Ref, data []byte) (n int, err error) {
	h := s.Halted()
	there, err := read(h.Step.Env, h.Wave, r, uint64(len(data)))
	if err != nil {
		return 0, err
	}
	data = bytes.Clone(data[:len(there)])
	s.Edit(fmt.Sprintf("%d bytes at %v", len(data), r), func(at *exec.Step) { write(at, r, data) })
	return len(data), nil
}

// write changes the bytes that exist. They are defined then.
func write(at *exec.Step, r Ref, data []byte) {
	if z := swizzleOf(&Wave{Program: at.Program}); z != nil && r.Space == ir.PrivateSpace {
		g, _ := at.Env.Space(ir.GlobalSpace, 0).Segment(z.Segment) // checked by Write
		for len(data) > 0 {
			off, run := z.Addr(r.Lane, r.Addr)
			run = min(run, uint64(len(data)))
			write(at, Ref{Space: ir.GlobalSpace, Addr: g.Base + off}, data[:run])
			r.Addr, data = r.Addr+run, data[run:]
		}
		return
	}
	put(at, r, data)
	if shadow := at.State.Machine.Shadow; shadow != nil && int(r.Space) < len(shadow.Banks) && shadow.Banks[r.Space] != 0 {
		r.Bank += uint8(shadow.Banks[r.Space])
		put(at, r, make([]byte, len(data)))
	}
}

// put changes the bytes that exist, whatever their shadow.
func put(at *exec.Step, r Ref, data []byte) {
	if r.Space == ir.PrivateSpace {
		_, _ = stepping.Private(at.Env, r.Bank, r.Lane, at.State.Lanes, r.Addr, uint64(len(data)), data) // as above
	} else if to, err := stepping.Memory(at.Env, r.Space, r.Bank, r.Addr); err == nil {
		copy(to, data)
	}
}

// SetRegister changes a register of one word or two of a wave, in a lane, or with a negative lane in all of them.
func (s *Session) SetRegister(w *Wave, name string, cells []ir.Cell, lane int, v uint64) error {
	return s.setRegister(w, name, cells, lane, v, ^uint64(0))
}

// setRegister is SetRegister of a value that only has new bits in a mask.
func (s *Session) setRegister(w *Wave, name string, cells []ir.Cell, lane int, v, mask uint64) error {
	m := w.State.Machine
	if m.Kind(cells[0]) == ir.ExecMask && m.Control != ir.MaskData {
		return fmt.Errorf("which lanes of %s run is for its control steps to say (%v)", m.Name, m.Control)
	}
	if len(cells) > 2 {
		return fmt.Errorf("%s has %d words: name one or two", name, len(cells))
	}
	key := w.Key
	what := name
	if lane >= 0 {
		what = fmt.Sprintf("%s in lane %d", name, lane)
	}
	s.Edit(what, func(*exec.Step) {
		for _, w := range s.waves {
			if w.Key == key {
				setCells(w.State, cells, lane, v, mask)
			}
		}
	})
	return nil
}

// setCells sets cells to a value. Its bits in the mask are defined then.
func setCells(st *exec.State, cells []ir.Cell, lane int, v, mask uint64) {
	for i, c := range cells {
		k, from, to := st.Machine.Kind(c), max(lane, 0), max(lane, 0)+1
		if k.PerLane() && lane < 0 {
			to = st.Lanes
		}
		for lane := from; lane < to && k != ir.ExecMask; lane++ {
			st.Set(c, lane, uint32(v>>(32*i)))
			if st.Machine.Shadow == nil {
				continue
			}
			if of, ok := st.Machine.Shadow.Cell(c); ok {
				st.Set(of, lane, st.Get(of, lane)&^uint32(mask>>(32*i)))
			}
		}
		if k == ir.ExecMask {
			st.SetMask(c, v)
		}
		if m := st.Machine; m.ModeMask != 0 && c == m.Mode && st.At.Mark == 0 {
			st.At.Key.Mode = st.Mode()
		}
	}
}

// A Watch is a watchpoint: a register or memory whose changes, or uses, stop the run.
type Watch struct {
	Name  string
	On    Access
	Wave  Key // for registers, and for memory of a workgroup or lane
	Cells []ir.Cell
	Lane  int // for registers; negative: all
	Type  Type
	Ref   Ref
	Bytes uint64 // 0: it is a register
}

// An Access is the kind of access that triggers a watchpoint.
type Access uint8

const (
	Changes Access = iota // an instruction changes the value
	Reads                 // an instruction reads it
	Uses                  // an instruction reads or writes it, even if the value stays
)

// read returns the present value, or nil if the wave has no part in it.
func (w *Watch) read(to []byte, by *Wave, env *exec.Env) []byte {
	if w.Bytes > 0 {
		shared := w.Ref.Space == ir.GlobalSpace || w.Ref.Space == ir.ConstSpace
		if !shared && (by.Launch != w.Wave.Launch || by.Group != w.Wave.Group || w.Ref.Space == ir.PrivateSpace && by.Key != w.Wave) {
			return nil
		}
		data, err := read(env, by, w.Ref, w.Bytes)
		if err != nil {
			return nil
		}
		return append(to, data...)
	}
	if by.Key != w.Wave {
		return nil
	}
	st := by.State
	for _, c := range w.Cells {
		switch k := st.Machine.Kind(c); {
		case k == ir.ExecMask || k == ir.Lane1 && w.Lane < 0:
			to = le(to, st.Mask(c), 8)
		case k.PerLane() && w.Lane < 0:
			for lane := range st.Lanes {
				to = le(to, uint64(st.Get(c, lane)), 4)
			}
		default:
			to = le(to, uint64(st.Get(c, max(w.Lane, 0))), 4)
		}
	}
	return to
}

func le(to []byte, v uint64, n int) []byte {
	for i := range n {
		to = append(to, byte(v>>(8*i)))
	}
	return to
}

// changed describes the difference, or returns "" if there is none.
func (w *Watch) changed(old, now []byte) string {
	if len(old) == 0 || len(old) != len(now) || bytes.Equal(old, now) {
		return ""
	}
	size := 4
	switch {
	case w.Bytes > 0:
		size = max(1, min(w.Type.Bits()/8, len(old)))
	case len(old) == 8 && (len(w.Cells) == 2 || w.Type.Bits() == 64):
		size = 8
	}
	at := 0
	for at+size < len(old) && bytes.Equal(old[at:at+size], now[at:at+size]) {
		at += size
	}
	name := w.Name
	switch {
	case w.Bytes > 0 && at > 0:
		r := w.Ref
		r.Addr += uint64(at)
		name = r.String()
	case w.Bytes == 0 && w.Lane < 0 && len(old) > size:
		name = fmt.Sprintf("%s[%d]", w.Name, at/4)
	}
	return fmt.Sprintf("%s: %s -> %s", name, w.text(old[at:], size), w.text(now[at:], size))
}

func (w *Watch) text(data []byte, size int) string {
	v := Value{Type: w.Type}
	for i, b := range data[:min(size, len(data), 8)] {
		v.Bits |= uint64(b) << (8 * i)
	}
	if v.Type.Bits() != 8*size && v.Type.Type != ir.I1 {
		v.Type = u32
		if size == 8 {
			v.Type = u64
		}
	}
	return v.Text(false)
}
