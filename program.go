package heddle

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"unsafe"

	"github.com/heddle-gpu/heddle/asm"
	engines "github.com/heddle-gpu/heddle/exec/all"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/launch/hsa"
	"github.com/heddle-gpu/heddle/launch/rogue"
	"github.com/heddle-gpu/heddle/launch/tesla"
	"github.com/heddle-gpu/heddle/launch/valhall"
	"github.com/heddle-gpu/heddle/loc"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// A Program is a compute program without a descriptor, ready for launches: assembly, or bare code. It is read-only
// and safe for concurrent use, except for what GCN programs store in variables of their own.
type Program struct {
	o       ProgramOptions
	target  *isa.Target
	code    []byte
	base    uint64
	bundles []isa.Bundle // for Rogue, if one of its groups has no public encoding
	from    loc.Map      // labels, for messages
	module  *Module      // for GCN
}

// ProgramOptions are what a descriptor would say of a program. The zero value is valid for one without workgroup or
// private memory.
type ProgramOptions struct {
	Name    string // for messages; "": program
	Group   int    // bytes of workgroup memory; for Tesla those of s[] after the parameters
	Private int    // bytes of memory of each work-item: scratch, l[], thread memory
	Base    uint64 // address of the first byte; a .base directive overrides it
	ABI     string // for Tesla: the compiler, cuda or mesa; "": cuda
}

// Program assembles a compute program. It begins with its first instruction. The error is Errors if the text is
// wrong.
func (a *ISA) Program(src string, o ProgramOptions) (*Program, error) {
	r, errs := asm.AssembleToRun(a.target, []byte(src), asm.Options{File: o.Name, Base: o.Base, NoLines: true})
	if len(errs) > 0 {
		return nil, Errors(errs)
	}
	p := &Program{o: o, target: r.Target, code: r.Code, base: r.Base, bundles: r.Bundles}
	for _, y := range r.Labels {
		p.from.Symbols = append(p.from.Symbols, loc.Symbol{Name: y.Name, Addr: y.Addr})
	}
	p.from.Sort()
	return p.make()
}

// ProgramOf is Program for machine code, which is not copied.
func (a *ISA) ProgramOf(code []byte, o ProgramOptions) (*Program, error) {
	p := &Program{o: o, target: a.target, code: code, base: o.Base}
	return p.make()
}

// make checks what can be checked before a launch, and returns the program if nothing is wrong.
func (p *Program) make() (*Program, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Program) check() (err error) {
	set := p.target.Set.Name
	if p.o.Name == "" {
		p.o.Name = "program"
	}
	starter, ok := p.starter()
	switch {
	case !ok:
		return &isa.Error{Code: isa.ErrUnsupported, Msg: "compute programs of " + set + " cannot be launched: there are none, or they are not built yet"}
	case len(p.code) == 0:
		return fmt.Errorf("program %s: there is no code", p.o.Name)
	case p.o.Group < 0 || p.o.Group > 1<<20 || p.o.Private < 0 || p.o.Private > 1<<20:
		return fmt.Errorf("program %s: %d bytes of a group's memory, %d of an item's; want 0 to %d", p.o.Name, p.o.Group, p.o.Private, 1<<20)
	case p.o.ABI != "" && set != "tesla":
		return fmt.Errorf("program %s: %s has one convention, so that none is named: %q", p.o.Name, set, p.o.ABI)
	case starter.flat && (p.o.Group > 0 || p.o.Private > 0):
		return &isa.Error{Code: isa.ErrUnsupported, Msg: "memory of groups and items of " + set + " is not built yet"}
	}
	if set == "gcn" {
		p.module, err = p.bare()
	}
	if set == "tesla" {
		_, err = tesla.ParseABI(p.o.ABI)
	}
	return err
}

// bare makes a module of a GCN program by hsa.BareObject.
func (p *Program) bare() (*Module, error) {
	processor := object.Processor(p.target.Variants[p.target.Variant].Name)
	o := hsa.BareObject(p.code, hsa.Bare{Name: p.o.Name, Target: processor, Base: p.base, LDS: uint32(p.o.Group), Scratch: uint32(p.o.Private)})
	m, err := hsa.Load(o, nil)
	if err != nil {
		return nil, fmt.Errorf("program %s: %w", p.o.Name, err)
	}
	return &Module{Object: o, target: p.target, module: m}, nil
}

// ISA returns the instruction set of the program's code.
func (p *Program) ISA() *ISA { return &ISA{p.target} }

// Name returns the name of the program in messages.
func (p *Program) Name() string { return p.o.Name }

// Options returns those that it was made with.
func (p *Program) Options() ProgramOptions { return p.o }

// Launch runs the program to its end, over a Grid of whole workgroups. Kernel and Offset of l, and scratch and
// registers of hsa.Config, apply only to GCN. Arguments are in the order in which the program finds them, each
// aligned to its size:
//
//	InPlace            a buffer: its address, of 64 bits, or of 32 for Tesla, as in CUDA; a program that Mesa
//	                   compiled finds it as the next g[]
//	float32, int64 ... as large as the Go type, and 32 bits at least except for GCN and Tesla
//	Value              as its bytes in memory; if the size is no power of 2, aligned to 4 bytes
//	nil                the null pointer
//
// They are where programs of the set expect them: for GCN at the address in s[4:5], for Tesla in s[] after the
// header, for Valhall in uniform words, for Rogue in shared registers, in each case from the first on.
//
// If the program faults, the error is an *exec.Fault, and buffers hold the effects up to then. The result is never
// nil.
func (p *Program) Launch(ctx context.Context, l Launch, args ...any) (*launch.Result, error) {
	if p.module != nil {
		if l.Kernel == "" {
			l.Kernel = p.o.Name
		}
		return p.module.Launch(ctx, l, args...)
	}
	r, err := p.launch(ctx, &l, args)
	if r == nil {
		r = &launch.Result{}
	}
	return r, err
}

func (p *Program) launch(ctx context.Context, l *Launch, args []any) (*launch.Result, error) {
	s, _ := p.starter()
	g := &given{starter: s, next: s.first, mesa: p.o.ABI == "mesa"}
	for i, v := range args {
		if err := g.add(v); err != nil {
			return nil, fmt.Errorf("program %s: argument %d: %w", p.o.Name, i, err)
		}
	}
	var groups [3]uint32
	for i := range groups {
		l.Grid[i], l.Block[i] = max(l.Grid[i], min(uint32(i), 1)), max(l.Block[i], min(uint32(i), 1))
		if l.Block[i] == 0 || l.Grid[i] == 0 || l.Grid[i]%l.Block[i] != 0 {
			return nil, fmt.Errorf("program %s: grid %v in groups of %v: want whole groups, one at least", p.o.Name, l.Grid, l.Block)
		}
		groups[i] = l.Grid[i] / l.Block[i]
	}
	if l.Engine == nil {
		l.Engine = engines.Fastest(engines.Use{})
	}
	return s.launch(ctx, p, g, groups, l.Block, launch.Settings{
		Engine: l.Engine, Workers: l.Workers, Limits: l.Limits, Relaxed: l.Relaxed, Counted: l.Counted, Print: l.Print, Watcher: l.Watcher, Map: &p.from,
		Observer: l.Observer, Done: l.Done,
	})
}

// A starter is the ABI of a set's programs that are launched without a module.
type starter struct {
	set          string
	first, align uint64 // address of the first buffer, and alignment of buffers
	pointer      int    // bytes of an address
	least        int    // bytes of a number, at least
	flat         bool   // there is no workgroup and no private memory
	launch       func(ctx context.Context, p *Program, g *given, groups, block [3]uint32, set launch.Settings) (*launch.Result, error)
}

// starter returns that of the program's set. Buffers of Valhall and Rogue have addresses of more than 32 bits, so
// that a program that drops the high word is detected.
func (p *Program) starter() (starter, bool) {
	for _, s := range [...]starter{
		{set: "gcn"}, // a module
		{"tesla", 0x10000, 0x100, 4, 1, false, launchTesla},
		{"valhall", 1 << 32, 1 << 16, 8, 4, false, launchValhall},
		{"rogue", 1 << 32, 1 << 16, 8, 4, true, launchRogue},
	} {
		if s.set == p.target.Set.Name {
			return s, true
		}
	}
	return starter{}, false
}

// given is the arguments of a launch.
type given struct {
	starter
	mesa    bool
	next    uint64 // address of the next buffer
	bytes   []byte
	buffers places
}

func (g *given) add(v any) error {
	switch v := v.(type) {
	case nil:
		g.put(make([]byte, g.pointer), g.pointer)
	case InPlace:
		return g.buffer(v)
	case Value:
		g.value(v)
	case Local:
		return fmt.Errorf("memory of a group is no argument of %s: ProgramOptions.Group says how much there is", g.set)
	default:
		if _, ok := number(v); !ok {
			return fmt.Errorf("a %T cannot be passed; want InPlace, a number with a size, Value or nil", v)
		}
		data, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			return err
		}
		g.value(data)
	}
	return nil
}

// value passes an argument as its bytes in memory.
func (g *given) value(data []byte) {
	align := min(max(len(data), g.least), 16)
	if align&(align-1) != 0 {
		align = 4
	}
	g.put(data, align)
	if n := len(data); n < g.least {
		g.bytes = append(g.bytes, make([]byte, g.least-n)...)
	}
}

// put appends bytes, aligned to their size.
func (g *given) put(data []byte, align int) {
	for len(g.bytes)%align != 0 {
		g.bytes = append(g.bytes, 0)
	}
	g.bytes = append(g.bytes, data...)
}

// buffer makes a buffer from the caller's bytes, or finds the one that they have become, and passes its address.
func (g *given) buffer(v InPlace) error {
	if len(v.Data) == 0 {
		return fmt.Errorf("there are no bytes, and no buffers without; nil is the null pointer")
	}
	q, err := g.buffers.find(v)
	if err != nil {
		return err
	}
	if q == nil {
		off := uint64(uintptr(unsafe.Pointer(&v.Data[0])) % mem.Align)
		if g.mesa && off != 0 {
			return fmt.Errorf("the bytes lie %d behind a multiple of %d, and the program finds them at address 0", off, mem.Align)
		}
		addr := g.next + off
		g.buffers = append(g.buffers, placed{InPlace: v, name: fmt.Sprintf("arg%d", len(g.buffers)), addr: addr})
		q = &g.buffers[len(g.buffers)-1]
		g.next = (addr + uint64(len(v.Data)) + 2*g.align - 1) / g.align * g.align // a gap after each
	}
	if !g.mesa {
		g.put(binary.LittleEndian.AppendUint64(nil, q.addr)[:g.pointer], g.pointer)
	}
	return nil
}

// words returns the arguments as words.
func (g *given) words() (ws []uint32) {
	for len(g.bytes)%4 != 0 {
		g.bytes = append(g.bytes, 0)
	}
	for i := 0; i < len(g.bytes); i += 4 {
		ws = append(ws, binary.LittleEndian.Uint32(g.bytes[i:]))
	}
	return ws
}

// cudaBank is the g[] in which CUDA keeps all memory.
const cudaBank = 14

func launchTesla(ctx context.Context, p *Program, g *given, groups, block [3]uint32, set launch.Settings) (*launch.Result, error) {
	k := tesla.Kernel{Name: p.o.Name, Target: p.target, Code: p.code, Grid: groups, Block: block, Params: g.bytes, Shared: p.o.Group, Local: p.o.Private}
	if len(p.target.Stages) > 0 && p.target.Stage != 0 {
		return nil, fmt.Errorf("program %s is one of stage %s: compute programs are launched", p.o.Name, strings.ToLower(p.target.Stages[p.target.Stage]))
	}
	var err error
	if k.ABI, err = tesla.ParseABI(p.o.ABI); err != nil {
		return nil, err
	}
	for i, b := range g.buffers {
		t := &tesla.Buffer{Name: b.name, Bank: cudaBank, Addr: b.addr, Data: b.Data, InPlace: true, ReadOnly: b.ReadOnly}
		if g.mesa {
			t.Bank, t.Addr = i, 0
		}
		k.Buffers = append(k.Buffers, t)
	}
	return k.Launch(ctx, set)
}

func launchValhall(ctx context.Context, p *Program, g *given, groups, block [3]uint32, set launch.Settings) (*launch.Result, error) {
	k := valhall.Kernel{Name: p.o.Name, Target: p.target, Code: p.code, Base: p.base, Groups: groups, Block: block, Uniform: g.words(),
		Shared: p.o.Group, Private: p.o.Private}
	for _, b := range g.buffers {
		k.Buffers = append(k.Buffers, &valhall.Buffer{Name: b.name, Addr: b.addr, Data: b.Data, InPlace: true, ReadOnly: b.ReadOnly})
	}
	return k.Launch(ctx, set)
}

func launchRogue(ctx context.Context, p *Program, g *given, groups, block [3]uint32, set launch.Settings) (*launch.Result, error) {
	k := rogue.Kernel{Name: p.o.Name, Target: p.target, Code: p.code, Base: p.base, Bundles: p.bundles, Groups: groups, Block: block, Shared: g.words()}
	for _, b := range g.buffers {
		k.Buffers = append(k.Buffers, &rogue.Buffer{Name: b.name, Addr: b.addr, Data: b.Data, InPlace: true, ReadOnly: b.ReadOnly})
	}
	return k.Launch(ctx, set)
}
