package radv

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/object"
)

// A Binding is a buffer of a descriptor set. Several of one binding are the elements of an array, in order.
type Binding struct {
	Set, Index int
	Name       string
	Data       []byte
}

// Inputs are the inputs of a launch.
type Inputs struct {
	Name     string // of the kernel
	Variant  string // gfx6, gfx7 or gfx8
	Bindings []Binding
	Push     []byte    // push constants from offset 0
	Groups   [3]uint32 // number of workgroups
	Scratch  uint32    // in bytes per lane, if the dump does not have it
}

// Addresses of the driver's own memory, below the upper word.
const (
	pushAt  = 0x8000
	gridAt  = 0x9000
	setsAt  = 0x10000
	setSize = 0x10000

	maxUser = 16 // registers before those set by hardware

	// mode is FLOAT_MODE 0xc0 and DX10_CLAMP, the default of the driver: without IEEE.
	mode = 0xc0
)

// A layout assigns the scalar arguments of a shader.
type layout struct {
	ring   int   // scratch base, two registers
	sets   []int // one register each
	push   int   // address of push constants; -1: none
	inline []int // one register for each of the first words of Shader.Push
	grid   Arg   // two registers: the address of three words; three: the words; or none
	user   int   // registers before those set by hardware
}

// assign finds the contents of the arguments, given the number of descriptor sets that the shader uses. The driver's
// order is: base of scratch, descriptor sets, address of push constants, push constants in registers, number of
// workgroups; then those set by hardware: ids of the workgroup, its size, offset of scratch. Push constants are in
// memory, in registers, or the first ones in registers and all in memory: the choice that matches the number of
// arguments is used.
func (s *Shader) assign(sets int) (*layout, error) {
	hardware := s.hardware()
	grid := 0
	if s.Grid {
		grid = 1
	}
	spare := len(s.Args) - 1 - sets - grid - hardware // for push constants
	l := &layout{push: -1}
	inline := spare
	switch {
	case spare == len(s.Push) && !s.Indexed:
	case spare >= 1 && spare-1 <= len(s.Push) && (s.Indexed || len(s.Push) > 0):
		l.push, inline = 0, spare-1
	default:
		return nil, fmt.Errorf("the shader has %d scalar arguments: scratch, %d that the hardware fills%s, and %d for descriptor sets and push constants; %d sets are given, and it reads %s of push constants",
			len(s.Args), hardware, map[bool]string{true: ", the number of workgroups"}[s.Grid], spare+sets, sets, words(len(s.Push), s.Indexed))
	}
	l.sets, l.inline = make([]int, sets), make([]int, inline)
	if err := s.take(l); err != nil {
		return nil, err
	}
	if l.user = s.Args[len(s.Args)-hardware].SGPR; l.user > maxUser {
		return nil, fmt.Errorf("what the hardware fills begins at s%d; at most %d registers are before it", l.user, maxUser)
	}
	return l, nil
}

// hardware returns how many registers the hardware sets: ids of the workgroup, its size, offset of scratch.
func (s *Shader) hardware() int {
	n := 1
	for _, used := range append(s.GroupID[:], s.GroupInfo) {
		if used {
			n++
		}
	}
	return n
}

// take assigns registers to the parts of a layout.
func (s *Shader) take(l *layout) error {
	at := 0
	take := func(count int) (a Arg, err error) {
		a = s.Args[at]
		at++
		if a.Count != count {
			err = fmt.Errorf("argument %d of the shader has %d registers from s%d, want %d: its layout is not that of Mesa 22.3", at-1, a.Count, a.SGPR, count)
		}
		return a, err
	}
	ring, err := take(2)
	l.ring = ring.SGPR
	one := func(to *int) {
		if err == nil {
			var a Arg
			a, err = take(1)
			*to = a.SGPR
		}
	}
	for i := range l.sets {
		one(&l.sets[i])
	}
	if l.push == 0 {
		one(&l.push)
	}
	for i := range l.inline {
		one(&l.inline[i])
	}
	if err == nil && s.Grid {
		if l.grid = s.Args[at]; l.grid.Count != 3 {
			l.grid, err = take(2)
		}
	}
	return err
}

func words(n int, more bool) string {
	if more {
		return fmt.Sprintf("%d words and others by index", n)
	}
	return fmt.Sprintf("%d words", n)
}

// Kernel makes a launch of a shader. Its buffers are those of the bindings, and those that the driver adds: tables of
// descriptors, push constants.
func (s *Shader) Kernel(in Inputs) (k gcn.Kernel, err error) {
	if s.High != 0 && (s.High < 0x10 || s.High >= 0x8000) {
		return k, fmt.Errorf("the shader's descriptor sets have addresses with the upper word %#x, where no buffer can be", s.High)
	}
	sets := setsOf(in.Bindings)
	l, err := s.assign(len(sets))
	if err != nil {
		return k, err
	}
	m, err := gcn.Load(s.object(&in, l.user), nil)
	if err != nil {
		return k, err
	}
	k = gcn.Kernel{Module: m, Name: in.Name, Memory: gcn.NewMemory(), Block: s.Workgroup}
	for i := range k.Grid {
		k.Grid[i] = in.Groups[i] * s.Workgroup[i]
	}
	b := builder{s: s, k: &k, base: uint64(s.High) << 32}
	if err := b.bindings(&in, sets, l); err != nil {
		return k, err
	}
	if err := b.constants(&in, l); err != nil {
		return k, err
	}
	return k, b.set(l.ring, scratchWords(s, &in))
}

// setsOf returns the numbers of the sets, sorted.
func setsOf(list []Binding) (sets []int) {
	for i := range list {
		sets = append(sets, list[i].Set)
	}
	slices.Sort(sets)
	return slices.Compact(sets)
}

// object returns the code with a kernel descriptor that requests the same initial registers as the driver.
func (s *Shader) object(in *Inputs, user int) *object.CodeObject {
	o := gcn.BareObject(s.Code, gcn.Bare{Name: in.Name, Target: object.Processor(in.Variant), LDS: s.Shared, Scratch: cmp.Or(s.Scratch, in.Scratch)})
	d := &o.Kernels[0].Descriptor
	d.Properties = 0
	d.Rsrc1 = 0x3f | 0xc<<6 | mode<<12 | 1<<21
	d.Rsrc2 = 1 | uint32(user)<<1 | 2<<11
	for axis, used := range s.GroupID {
		if used {
			d.Rsrc2 |= 1 << (7 + axis)
		}
	}
	if s.GroupInfo {
		d.Rsrc2 |= 1 << 10
	}
	return o
}

// scratchWords returns the base of scratch as the first two words of a swizzled descriptor.
func scratchWords(s *Shader, in *Inputs) []uint32 {
	if cmp.Or(s.Scratch, in.Scratch) == 0 {
		return []uint32{0, 0}
	}
	const swizzle = 1 << 31
	return []uint32{gcn.ScratchAddr, swizzle}
}

// A builder lays out the memory and registers of a launch.
type builder struct {
	s    *Shader
	k    *gcn.Kernel
	base uint64 // of the driver's memory
}

// bindings makes buffers and, for each set, a table of their descriptors in the order of bindings. Its address is an
// argument.
func (b *builder) bindings(in *Inputs, sets []int, l *layout) error {
	tables := make([][]byte, len(sets))
	sorted := slices.Clone(in.Bindings)
	slices.SortStableFunc(sorted, func(x, y Binding) int { return cmp.Or(cmp.Compare(x.Set, y.Set), cmp.Compare(x.Index, y.Index)) })
	for i := range sorted {
		g := &sorted[i]
		buf, err := b.k.Memory.Alloc(g.Name, len(g.Data))
		if err != nil {
			return err
		}
		buf.Init(g.Data)
		v, err := gcn.BufferResource(b.k.Module.Variant, buf.Addr, uint64(len(g.Data)), 0)
		if err != nil {
			return err
		}
		n, _ := slices.BinarySearch(sets, g.Set)
		for _, w := range v {
			tables[n] = binary.LittleEndian.AppendUint32(tables[n], w)
		}
	}
	for i, data := range tables {
		if len(data) > setSize {
			return fmt.Errorf("set %d has %d descriptors; at most %d", sets[i], len(data)/16, setSize/16)
		}
		addr, err := b.place(fmt.Sprintf("descriptors of set %d", sets[i]), setsAt+uint64(i)*setSize, data)
		if err == nil {
			err = b.set(l.sets[i], []uint32{uint32(addr)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// constants stores push constants and the number of workgroups.
func (b *builder) constants(in *Inputs, l *layout) error {
	for i, reg := range l.inline {
		word := b.s.Push[i]
		if 4*word+4 > len(in.Push) {
			return fmt.Errorf("the shader reads word %d of the push constants; %d bytes are given", word, len(in.Push))
		}
		if err := b.set(reg, []uint32{binary.LittleEndian.Uint32(in.Push[4*word:])}); err != nil {
			return err
		}
	}
	if l.push >= 0 {
		if len(in.Push) == 0 {
			return fmt.Errorf("the shader reads push constants; none are given")
		}
		addr, err := b.place("push constants", pushAt, in.Push)
		if err == nil {
			err = b.set(l.push, []uint32{uint32(addr)})
		}
		if err != nil {
			return err
		}
	}
	if l.grid.Count == 3 {
		return b.set(l.grid.SGPR, in.Groups[:])
	}
	if l.grid.Count == 2 {
		var data []byte
		for _, n := range in.Groups {
			data = binary.LittleEndian.AppendUint32(data, n)
		}
		addr, err := b.place("number of workgroups", gridAt, data)
		if err == nil {
			err = b.set(l.grid.SGPR, []uint32{uint32(addr), uint32(addr >> 32)})
		}
		return err
	}
	return nil
}

// place makes a buffer that waves cannot write.
func (b *builder) place(name string, at uint64, data []byte) (uint64, error) {
	buf, err := b.k.Memory.AllocAt(name, b.base+at, len(data))
	if err != nil {
		return 0, err
	}
	buf.Init(data)
	buf.ReadOnly = true
	return buf.Addr, nil
}

// set sets consecutive registers.
func (b *builder) set(sgpr int, values []uint32) error {
	for i, v := range values {
		name := "s" + strconv.Itoa(sgpr+i)
		r, err := gcn.LookupRegister(b.k.Module.Variant, name)
		if err != nil {
			return err
		}
		b.k.Registers = append(b.k.Registers, gcn.InitRegister{Name: name, Reg: r, Values: []uint32{v}})
	}
	return nil
}

// Driver reports by its name whether Kernel has added a buffer to a launch.
func Driver(name string) bool {
	return name == "push constants" || name == "number of workgroups" || strings.HasPrefix(name, "descriptors of set ")
}
