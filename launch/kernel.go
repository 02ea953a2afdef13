package launch

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Kernel is a compute program with all that a launch of it needs, in the same terms for every instruction set.
// Compute.Launch runs it.
type Kernel struct {
	Name    string // for messages
	Program *exec.Program
	Entry   uint64    // address of the first instruction
	Groups  [3]uint32 // workgroups
	Block   [3]uint32 // work-items of a workgroup
	// Args are the initial words of the program, as they lie in memory: uniform words for Valhall, shared registers for
	// Rogue, parameters in s[] for Tesla. An Arguments builds them.
	Args         []byte
	Buffers      []*Buffer
	Registers    int    // of a work-item, as a file says; 0: unknown
	GroupBytes   int    // of workgroup memory; for Tesla of s[] after the parameters
	PrivateBytes int    // of memory of each work-item: scratch, l[], thread memory
	ABI          string // one of Compute.ABIs; "": the first
	// Preload selects the registers that Valhall initialises: bit i is r48+i; 0: all that compute programs may request.
	Preload uint16
	// Tables are the tables of descriptors that a program of Valhall finds: buffers, nil for a null descriptor. Each must
	// be one of Buffers.
	Tables [][]*Buffer
	// ImageOf returns the textures that a driver binds apart from memory: Textures.Of for Tesla; nil: there are none.
	// Programs of other sets find them by descriptors in memory.
	ImageOf func(k *exec.ImageKey) (exec.Image, error)
}

// A Buffer is memory that a kernel can access.
type Buffer struct {
	Name  string
	Space Space // the zero value is bank 0 of global memory
	Addr  uint64
	Data  []byte // initial contents; after a launch, final contents
	// InPlace lets the program access Data itself, not a copy. Addr and the address of Data in the host must be equal
	// modulo mem.Align.
	InPlace  bool
	ReadOnly bool // for the program
	Unset    bool // nothing has set the bytes: a sanitizer takes them as undefined
	// Uses is what the program is declared to do with it; 0: anything. Other accesses happen and are recorded: see
	// Settings.Declared.
	Uses mem.Rights
}

// space returns the address space in which the buffer lies.
func (b *Buffer) space() Space {
	if b.Space.ID == ir.NoSpace {
		return Space{ID: ir.GlobalSpace}
	}
	return b.Space
}

// Compute describes how compute programs of an instruction set are launched.
type Compute struct {
	Machine *ir.Machine // of the programs
	ABIs    []string    // calling conventions, the default first; empty: there is one, without a name
	// Layout returns where programs of a convention find arguments and buffers.
	Layout func(abi string) Layout
	// GroupMemory is the name of workgroup memory in messages; "": programs of the set have none, and no private memory.
	GroupMemory string
	End         uint64 // all buffers lie below this address
	// SpaceName is the name of a space in messages, as the set's assembly writes it; nil: there is global memory only.
	SpaceName func(s Space) string
	// Space is the name of a space in manifests; nil: they name none.
	Space func(s Space) string
	// Prepare checks a kernel and returns its launch without settings. env has the buffers of the kernel.
	Prepare func(k *Kernel, env exec.Env) (*Launch, error)
	// Code returns the code of a build of a manifest for the options of a launch.
	Code func(b *casefile.Build, options map[string]string, code []byte) (ir.Code, error)
}

// CheckABI reports that programs of the set do not have a calling convention. "" is the default. c may be nil.
func (c *Compute) CheckABI(name string) error {
	switch {
	case name == "":
		return nil
	case c == nil || len(c.ABIs) == 0:
		return fmt.Errorf("no ABI %q: there is only one, without a name", name)
	case slices.Contains(c.ABIs, name):
		return nil
	}
	return fmt.Errorf("no ABI %q; there are %s", name, strings.Join(c.ABIs, ", "))
}

// SpaceOf returns the name of the space of a buffer in manifests; "": they name none.
func (c *Compute) SpaceOf(b *Buffer) string {
	if c.Space == nil {
		return ""
	}
	return c.Space(b.space())
}

// DefaultTotal is the limit of a launch in guest instructions, counted once per wave, if none is given.
const DefaultTotal = 1_000_000_000

// Launch runs a kernel to its end. Afterwards Data of its buffers holds the final contents, also after a fault. A fault
// is an *exec.Fault.
func (c *Compute) Launch(ctx context.Context, k *Kernel, s Settings) (*Result, error) {
	l, err := c.Begin(k, s)
	if err != nil {
		return nil, err
	}
	return l.Run(ctx)
}

// Begin returns the launch that Launch would run, for callers that run it in steps.
func (c *Compute) Begin(k *Kernel, s Settings) (*Launch, error) {
	l, err := c.prepare(k)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	l.Vector = k.Registers
	l.Kernel, l.Program, l.Entry.PC, l.Grid = k.Name, k.Program, k.Entry, Grid{Groups: k.Groups, Block: k.Block}
	return s.Of(l), nil
}

func (c *Compute) prepare(k *Kernel) (*Launch, error) {
	switch {
	case k.Program == nil || k.Program.Code == nil:
		return nil, errors.New("there is no code")
	case k.Program.Machine().Name != c.Machine.Name:
		return nil, fmt.Errorf("the program is for %s, not %s", k.Program.Machine().Name, c.Machine.Name)
	case c.GroupMemory == "" && (k.GroupBytes != 0 || k.PrivateBytes != 0):
		return nil, errors.New("memory of workgroups and work-items is not supported for this instruction set")
	}
	if err := c.CheckABI(k.ABI); err != nil {
		return nil, err
	}
	spaces, err := c.spaces(k.Buffers)
	if err != nil {
		return nil, err
	}
	return c.Prepare(k, exec.Env{Spaces: spaces})
}

// spaces puts buffers into address spaces.
func (c *Compute) spaces(buffers []*Buffer) (spaces exec.Spaces, err error) {
	for _, b := range buffers {
		at := b.space()
		name := at.ID.String()
		if c.SpaceName != nil {
			name = c.SpaceName(at)
		}
		if end, over := bits.Add64(b.Addr, uint64(len(b.Data)), 0); over != 0 || end > c.End {
			return spaces, fmt.Errorf("buffer %s: %s at %#x of %s; buffers lie below %#x", b.Name, spell.Count(len(b.Data), "byte"), b.Addr, name, c.End)
		}
		g := mem.SegmentOf(b.Name, b.Addr, b.Data, b.ReadOnly || at.ID == ir.ConstSpace, b.InPlace)
		g.Declare(b.Uses)
		if b.Unset {
			g.Unset = [][2]int{{0, len(b.Data)}}
		}
		if err := spaceAt(&spaces, at, name).Add(g); err != nil {
			return spaces, err
		}
		b.Data = g.Data[:len(b.Data):len(b.Data)] // the memory that the program accesses
	}
	return spaces, nil
}

// spaceAt returns a space of a list. If it is missing, it is added with that name.
func spaceAt(spaces *exec.Spaces, at Space, name string) *mem.Space {
	banks := &spaces[at.ID]
	for len(*banks) <= int(at.Bank) {
		*banks = append(*banks, nil)
	}
	if (*banks)[at.Bank] == nil {
		(*banks)[at.Bank] = &mem.Space{Name: name}
	}
	return (*banks)[at.Bank]
}

// Global returns bank 0 of global memory, which it adds if there is none.
func Global(env *exec.Env) *mem.Space {
	return spaceAt(&env.Spaces, Space{ID: ir.GlobalSpace}, ir.GlobalSpace.String())
}

// A Layout says where a program finds its arguments and buffers.
type Layout struct {
	Number  int // least size of a number, in bytes
	Pointer int // size of a buffer's address among the arguments, in bytes
	// First is the address of the first buffer, Align the alignment of all. A gap follows each, so that an access out of
	// bounds faults.
	First, Align uint64
	Space        Space // of buffers
	// Banked puts each buffer at address 0 of the next bank of the space. Its address is no argument.
	Banked bool
	// Named returns the space that the name of a buffer selects; false: none. nil: no name does.
	Named func(name string) (Space, bool)
}

// Arguments builds the arguments and buffers of a kernel, in the order in which its program finds them.
type Arguments struct {
	Layout
	*Kernel
	compute *Compute
	next    uint64
	bank    uint8
}

// Arguments returns an empty list of arguments for the kernel, whose ABI is set.
func (c *Compute) Arguments(k *Kernel) *Arguments {
	abi := k.ABI
	if abi == "" && len(c.ABIs) > 0 {
		abi = c.ABIs[0]
	}
	a := &Arguments{Layout: c.Layout(abi), Kernel: k, compute: c}
	a.next, a.bank = a.First, a.Layout.Space.Bank
	return a
}

// Pad adds zeros until the arguments are a multiple of so many bytes.
func (a *Arguments) Pad(align int) {
	for len(a.Args)%align != 0 {
		a.Args = append(a.Args, 0)
	}
}

// Value passes bytes, aligned to their size: to 4 bytes if that is no power of 2, and to 16 at most.
func (a *Arguments) Value(data []byte) {
	align := min(max(len(data), a.Number, 1), 16)
	if align&(align-1) != 0 {
		align = 4
	}
	a.Pad(align)
	a.Args = append(a.Args, data...)
	for n := len(data); n < a.Number; n++ {
		a.Args = append(a.Args, 0)
	}
}

// Word passes a number of so many bytes, which may be extended to the least size of a number.
func (a *Arguments) Word(v uint64, size int) {
	size = max(size, a.Number)
	a.Pad(size)
	for i := range size {
		a.Args = append(a.Args, byte(v>>(8*i)))
	}
}

// Pass passes the address of a buffer, unless the program finds buffers without it.
func (a *Arguments) Pass(b *Buffer) {
	if !a.Banked {
		a.Pad(a.Pointer)
		for i := range a.Pointer {
			a.Args = append(a.Args, byte(b.Addr>>(8*i)))
		}
	}
}

// Add adds a buffer. Its address is that which is set already if it is fixed; otherwise it gets one.
func (a *Arguments) Add(b *Buffer, fixed bool) error {
	if a.Buffer(b.Name) != nil {
		return fmt.Errorf("there are two buffers %q", b.Name)
	}
	off := uint64(0) // of bytes that stay where they are
	if b.InPlace {
		off = uint64(mem.Skew(b.Data))
	}
	b.Space = a.Layout.Space
	switch {
	case a.Banked && fixed:
		first, second := b.Space, Space{b.Space.ID, b.Space.Bank + 1}
		return fmt.Errorf("buffers of ABI %s are %s, %s and so on, each from address 0; one with an address needs the name of its space, or another ABI", a.ABI, a.compute.SpaceName(first), a.compute.SpaceName(second))
	case a.Banked && off != 0:
		return fmt.Errorf("the bytes begin %d after a multiple of %d, and the program finds them at address 0", off, mem.Align)
	case a.Banked:
		b.Space.Bank = a.bank
		a.bank++
	case !fixed:
		b.Addr = a.next + off
		a.next = (b.Addr + uint64(len(b.Data)) + 2*a.Align - 1) / a.Align * a.Align
	}
	a.Buffers = append(a.Buffers, b)
	return nil
}

// AddNamed adds a buffer in the space that its name selects, at its address; otherwise it is Add.
func (a *Arguments) AddNamed(b *Buffer, fixed bool) error {
	at, ok := Space{}, false
	if a.Named != nil {
		at, ok = a.Named(b.Name)
	}
	switch {
	case !ok:
		return a.Add(b, fixed)
	case a.Buffer(b.Name) != nil && at.ID == ir.ConstSpace:
		return fmt.Errorf("%s has its constants already", b.Name)
	case a.Buffer(b.Name) != nil:
		return fmt.Errorf("there are two buffers %q", b.Name)
	case at.ID == ir.ConstSpace && fixed:
		return fmt.Errorf("%s: constants have no address", b.Name)
	}
	b.Space = at
	a.Buffers = append(a.Buffers, b)
	return nil
}

// Buffer returns the buffer with that name, nil if there is none.
func (k *Kernel) Buffer(name string) *Buffer {
	for _, b := range k.Buffers {
		if b.Name == name {
			return b
		}
	}
	return nil
}

// Words returns the arguments as words, the last one filled up with zeros.
func (k *Kernel) Words() []uint32 {
	words := make([]uint32, (len(k.Args)+3)/4)
	for i, v := range k.Args {
		words[i/4] |= uint32(v) << (8 * (i % 4))
	}
	return words
}
