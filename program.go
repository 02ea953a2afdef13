package heddle

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/platforms"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/loc"
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
	module  *Module      // of a set whose kernels are launched from code objects
	compute *launch.Compute
	program *exec.Program
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
	if p.o.Name == "" {
		p.o.Name = "program"
	}
	platform := platforms.Lookup(p.target.Set.Name)
	switch {
	case platform == nil || platform.Compute == nil && platform.Object == nil:
		return &isa.Error{Code: isa.ErrUnsupported, Msg: "compute programs of " + p.target.Set.Name + " cannot be launched: there are none, or they are not built yet"}
	case len(p.code) == 0:
		return fmt.Errorf("program %s: there is no code", p.o.Name)
	case p.o.Group < 0 || p.o.Group > 1<<20 || p.o.Private < 0 || p.o.Private > 1<<20:
		return fmt.Errorf("program %s: %d bytes of a group's memory, %d of an item's; want 0 to %d", p.o.Name, p.o.Group, p.o.Private, 1<<20)
	}
	p.compute = platform.Compute
	if err := p.compute.CheckABI(p.o.ABI); err != nil {
		return fmt.Errorf("program %s: %w", p.o.Name, err)
	}
	if p.compute == nil {
		return p.bare(platform)
	}
	if p.compute.GroupMemory == "" && (p.o.Group > 0 || p.o.Private > 0) {
		return &isa.Error{Code: isa.ErrUnsupported, Msg: "memory of groups and items of " + p.target.Set.Name + " is not built yet"}
	}
	code, err := p.target.RunnableFrom(&p.from, p.base, p.code, p.bundles)
	if err == nil {
		p.program = exec.NewProgram(code)
	}
	return err
}

// bare makes a module of a program whose set launches kernels from code objects.
func (p *Program) bare(platform *launch.Platform) error {
	o := platform.Object(p.code, p.target.Variants[p.target.Variant].Name, p.base, &launch.Kernel{Name: p.o.Name, GroupBytes: p.o.Group, PrivateBytes: p.o.Private})
	m, err := moduleOf(o, p.target)
	if err != nil {
		return fmt.Errorf("program %s: %w", p.o.Name, err)
	}
	p.module = m
	return nil
}

// ISA returns the instruction set of the program's code.
func (p *Program) ISA() *ISA { return &ISA{p.target} }

// Name returns the name of the program in messages.
func (p *Program) Name() string { return p.o.Name }

// Options returns those that it was made with.
func (p *Program) Options() ProgramOptions { return p.o }

// Launch runs the program to its end, over a Grid of whole workgroups. Kernel, Offset and Stack of l apply only to
// GCN. Arguments are in the order in which the program finds them, each aligned to its size:
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
	k := &launch.Kernel{Name: p.o.Name, Program: p.program, Entry: p.base, GroupBytes: p.o.Group, PrivateBytes: p.o.Private, ABI: p.o.ABI}
	g := &given{Arguments: p.compute.Arguments(k)}
	for i, v := range args {
		if err := g.add(v); err != nil {
			return nil, fmt.Errorf("program %s: argument %d: %w", p.o.Name, i, err)
		}
	}
	for i := range l.Grid {
		l.Grid[i], l.Block[i] = max(l.Grid[i], min(uint32(i), 1)), max(l.Block[i], min(uint32(i), 1))
		if l.Block[i] == 0 || l.Grid[i] == 0 || l.Grid[i]%l.Block[i] != 0 {
			return nil, fmt.Errorf("program %s: grid %v in groups of %v: want whole groups, one at least", p.o.Name, l.Grid, l.Block)
		}
		k.Groups[i] = l.Grid[i] / l.Block[i]
	}
	k.Block = l.Block
	if l.Engine == nil {
		l.Engine = engines.Fastest(engines.Use{})
	}
	return p.compute.Launch(ctx, k, l.Settings)
}

// given is the arguments of a launch.
type given struct {
	*launch.Arguments
	places places
}

func (g *given) add(v any) error {
	switch v := v.(type) {
	case nil:
		g.Word(0, g.Pointer)
	case InPlace:
		return g.buffer(v)
	case Value:
		g.Value(v)
	case Local:
		return errors.New("workgroup memory is no argument of this instruction set: ProgramOptions.Group is its size")
	default:
		if _, ok := number(v); !ok {
			return fmt.Errorf("a %T cannot be passed; want InPlace, a number with a size, Value or nil", v)
		}
		data, err := binary.Append(nil, binary.LittleEndian, v)
		if err != nil {
			return err
		}
		g.Value(data)
	}
	return nil
}

// buffer makes a buffer from the caller's bytes, or finds the one that they have become, and passes its address.
func (g *given) buffer(v InPlace) error {
	if len(v.Data) == 0 {
		return fmt.Errorf("there are no bytes, and no buffers without; nil is the null pointer")
	}
	q, err := g.places.find(v)
	if err != nil {
		return err
	}
	if q == nil {
		b := &launch.Buffer{Name: fmt.Sprintf("arg%d", len(g.Buffers)), Data: v.Data, InPlace: true, ReadOnly: v.ReadOnly, Unset: v.Unset}
		if err := g.Add(b, false); err != nil {
			return err
		}
		g.places = append(g.places, placed{InPlace: v, name: b.Name, guest: b})
		q = &g.places[len(g.places)-1]
	}
	g.Pass(q.guest)
	return nil
}
