package valhall

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// Limits of a compute job. docs/reference/valhall.md 9.2.
const (
	maxBlock   = 1024 // threads of a workgroup
	maxShared  = 64 << 10
	maxPrivate = 64 << 10
	maxTables  = 63
)

// DefaultTotal is the limit of a launch in guest instructions, counted once per warp, if none is given.
const DefaultTotal = 1_000_000_000

// Addresses of what programs find through special values. Buffers are below.
const (
	sharedAt  = object.ValhallEnd
	privateAt = sharedAt + 1<<36
	tablesAt  = privateAt + 1<<36
)

// Registers that a program may request: bit i of a preload mask is r48+i. docs/reference/valhall.md 7.1.
const (
	firstPreload = 48
	preLocal     = 55 // x in the low half, y in the high one
	preLocalZ    = 56
	preGroup     = 57 // x, y, z
	preGlobal    = 60 // x, y, z

	// PreloadAll requests all that are available to compute programs.
	PreloadAll = 0x7f80
)

// A Buffer is memory that the program may read and write.
type Buffer struct {
	Name string
	Addr uint64
	Data []byte // initial contents; after the launch, final contents
	// InPlace lets the program access Data itself, not a copy. Addr and the address of Data in the host must be equal
	// modulo mem.Align.
	InPlace  bool
	ReadOnly bool // for the program
}

// A Kernel is a compute program and its initial state.
type Kernel struct {
	Name    string
	Target  *isa.Target // of its code; its options count
	Code    []byte
	Base    uint64 // address of Code, which is also the entry
	Groups  [3]uint32
	Block   [3]uint32 // threads of a workgroup
	Uniform []uint32  // from u0 up
	Buffers []*Buffer
	// Tables are the tables of the resource table: buffers, nil for a null descriptor. Each must be one of Buffers.
	Tables  [][]*Buffer
	Preload uint16 // bit i: r48+i is preloaded; 0: PreloadAll
	Shared  int    // bytes of workgroup memory
	Private int    // bytes of thread memory per thread
}

// Launch runs the kernel. Afterwards Data of Buffers holds the final contents, also after a fault, which is an
// *exec.Fault.
func (k *Kernel) Launch(ctx context.Context, set launch.Settings) (*launch.Result, error) {
	l, err := k.launch(set)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
	}
	return l.Run(ctx)
}

// launch prepares the kernel.
func (k *Kernel) launch(set launch.Settings) (*launch.Launch, error) {
	if err := k.check(); err != nil {
		return nil, err
	}
	if set.Limits.Total == 0 {
		set.Limits.Total = DefaultTotal
	}
	j := &job{Kernel: k, preload: k.Preload}
	if j.preload == 0 {
		j.preload = PreloadAll
	}
	env, err := j.env()
	if err != nil {
		return nil, err
	}
	code := &isa.Program{Target: k.Target, Code: k.Code, Base: k.Base, Map: set.Map}
	if err := env.MapCode(code); err != nil {
		return nil, err
	}
	return set.Of(&launch.Launch{
		Kernel: k.Name, Program: exec.NewProgram(code), Entry: ir.Key{PC: k.Base},
		Grid: launch.Grid{Groups: k.Groups, Block: k.Block}, Lanes: valhall.Lanes, Target: j, Env: env,
		GroupBytes: k.Shared, Private: mem.Extent{Size: uint64(k.Private), Rights: mem.ReadWrite}, PrivateUnit: 4,
	}), nil
}

// check rejects values that no job can encode.
func (k *Kernel) check() error {
	threads := uint64(1)
	for i := range 3 {
		n := uint64(k.Block[i])
		if n == 0 || n > maxBlock || threads*n > maxBlock {
			return launch.BlockErrorf("work-groups of %v threads; want 1 to %d in all", k.Block, maxBlock)
		}
		threads *= n
		if all := n * uint64(k.Groups[i]); all == 0 || all > 1<<32 {
			return fmt.Errorf("grid of %v work-groups of %v threads; want 1 to 2^32 threads on each axis", k.Groups, k.Block)
		}
	}
	switch {
	case len(k.Code) == 0:
		return fmt.Errorf("there is no code")
	case len(k.Uniform) > valhall.NumU:
		return fmt.Errorf("%d uniform words; there are u0 to u%d", len(k.Uniform), valhall.NumU-1)
	case k.Shared < 0 || k.Shared > maxShared:
		return fmt.Errorf("%d bytes of workgroup memory; at most %d", k.Shared, maxShared)
	case k.Private < 0 || k.Private > maxPrivate:
		return fmt.Errorf("%d bytes of thread memory; at most %d", k.Private, maxPrivate)
	case len(k.Tables) > maxTables:
		return fmt.Errorf("%d tables of resources; at most %d", len(k.Tables), maxTables)
	}
	return nil
}

// A job starts the workgroups of a kernel. It implements launch.Target.
type job struct {
	*Kernel
	preload uint16
	table   uint64 // resource_table_pointer
}

// env returns the memory that all threads can access.
func (j *job) env() (env exec.Env, err error) {
	global := &mem.Space{Name: "global"}
	for _, b := range j.Buffers {
		if end, over := bits.Add64(b.Addr, uint64(len(b.Data)), 0); over != 0 || end > sharedAt {
			return env, fmt.Errorf("buffer %s: %s at %#x; buffers lie below %#x", b.Name, spell.Count(len(b.Data), "byte"), b.Addr, uint64(sharedAt))
		}
		g := mem.SegmentOf(b.Name, b.Addr, b.Data, b.ReadOnly, b.InPlace)
		if err := global.Add(g); err != nil {
			return env, err
		}
		b.Data = g.Data[:len(b.Data):len(b.Data)] // the memory that the program accesses
	}
	if data := j.tables(); len(data) > 0 {
		g := mem.NewSegment("resource table", tablesAt, len(data), mem.Read)
		copy(g.Data, data)
		if err := global.Add(g); err != nil {
			return env, err
		}
		j.table = tablesAt + uint64(len(j.Tables))
	}
	env.Spaces[ir.GlobalSpace] = []*mem.Space{global}
	env.ImageOf = NewResources(global, j.Target.Variant).Of
	if j.Shared > 0 {
		env.Windows = append(env.Windows, exec.Window{Base: sharedAt, Size: uint64(j.Shared), Space: ir.GroupSpace})
	}
	if j.Private > 0 {
		env.Windows = append(env.Windows, exec.Window{Base: privateAt, Size: uint64(j.Private), Space: ir.PrivateSpace})
	}
	return env, nil
}

// bufferType is the low bits of a buffer's descriptor: one without structure. docs/reference/valhall.md 9.2.
const bufferType = valhall.TypeBuffer | 1<<4

// tables returns the resource table, followed by the descriptors.
func (j *job) tables() (data []byte) {
	at := (len(j.Tables)*valhall.TableEntry + 63) &^ 63
	for _, t := range j.Tables {
		data = binary.LittleEndian.AppendUint64(data, tablesAt+uint64(at))
		data = binary.LittleEndian.AppendUint64(data, uint64(len(t)*valhall.DescriptorBytes))
		at += len(t) * valhall.DescriptorBytes
	}
	for len(data)%64 != 0 {
		data = append(data, 0)
	}
	for _, t := range j.Tables {
		for _, b := range t {
			var d [valhall.DescriptorBytes]byte
			if b != nil {
				binary.LittleEndian.PutUint32(d[0:], bufferType)
				binary.LittleEndian.PutUint32(d[4:], uint32(len(b.Data)))
				binary.LittleEndian.PutUint64(d[8:], b.Addr)
			}
			data = append(data, d[:]...)
		}
	}
	return data
}

func (j *job) NewGroup(*launch.Group, *exec.Env) error { return nil }

func (j *job) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	for i, v := range j.Uniform {
		st.Set(ir.Cell{File: valhall.FileU, Index: uint16(i)}, 0, v)
	}
	for number, v := range [...]uint64{valhall.SpecialTLS: privateAt, valhall.SpecialWLS: sharedAt, valhall.SpecialTable: j.table} {
		st.Set(valhall.Special(valhall.PagePointers, number, 0), 0, uint32(v))
		st.Set(valhall.Special(valhall.PagePointers, number, 1), 0, uint32(v>>32))
	}
	st.Set(valhall.Special(valhall.PageDescriptors, valhall.SpecialWarp, 0), 0, uint32(wave))
	initThreads(g, wave, j.preload, st)
	return nil
}

// Again implements launch.Steady: positions in the workgroup do not change.
func (j *job) Again(g *launch.Group, wave int, st *exec.State) {
	threads{g, wave, j.preload, st}.inGrid(placesOf(g, wave, st))
}

// initThreads sets the initial registers of a workgroup's threads: those of the mask, which hold their positions.
// docs/reference/valhall.md 7.1.
func initThreads(g *launch.Group, wave int, mask uint16, st *exec.State) {
	at, t := placesOf(g, wave, st), threads{g, wave, mask, st}
	for lane, r := 0, t.row(preLocal); lane < len(r); lane++ {
		r[lane] = at[0][lane] | at[1][lane]<<16
	}
	copy(t.row(preLocalZ), at[2][:])
	t.inGrid(at)
}

// places are the positions of a warp's threads in their workgroup, by axis.
type places [3][valhall.Lanes]uint32

func placesOf(g *launch.Group, wave int, st *exec.State) (at places) {
	n := bits.Len64(g.Lanes(wave, st.Lanes))
	g.Places(wave*st.Lanes, [3][]uint32{at[0][:n], at[1][:n], at[2][:n]})
	return at
}

// threads are the threads of a warp, with the registers that are preloaded.
type threads struct {
	g    *launch.Group
	wave int
	mask uint16
	st   *exec.State
}

// row returns a register of the threads; nil if it is not preloaded.
func (t threads) row(reg int) []uint32 {
	if t.mask>>(reg-firstPreload)&1 == 0 {
		return nil
	}
	return t.st.Row(ir.Cell{File: valhall.FileR, Index: uint16(reg)})[:bits.Len64(t.g.Lanes(t.wave, t.st.Lanes))]
}

// inGrid sets the ID of the workgroup, and the threads' positions in the grid.
func (t threads) inGrid(at places) {
	for i := range 3 {
		for lane, r := 0, t.row(preGroup+i); lane < len(r); lane++ {
			r[lane] = t.g.ID[i]
		}
		first := t.g.ID[i] * t.g.Size[i]
		for lane, r := 0, t.row(preGlobal+i); lane < len(r); lane++ {
			r[lane] = first + at[i][lane&(valhall.Lanes-1)]
		}
	}
}
