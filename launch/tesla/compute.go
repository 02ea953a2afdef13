package tesla

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/tesla"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// Initial contents of s[] of a block. docs/reference/tesla.md 9.1.
const (
	headBlock  = 0x2  // three halves: block size in threads
	headGrid   = 0x8  // two: grid size in blocks
	headID     = 0xc  // two: ID of the block
	cudaParams = 0x10 // parameters
	mesaGridZ  = 0x10
	mesaBlockZ = 0x12
	mesaParams = 0x14

	sharedBanks = 2 // of group memory: s[], and the lock bits of its words

	maxShared = 16 << 10
	maxLocal  = 64 << 10
	maxConst  = 64 << 10
	maxBlock  = 512 // threads
)

// An ABI is the convention of a compiler of compute programs: where a program finds its parameters.
type ABI uint8

const (
	CUDA ABI = iota // parameters at s[0x10]; grids have no z
	Mesa            // s[0x10] and s[0x12] are the z of grid and block, parameters begin at s[0x14]
)

var abiParams = [...]int{CUDA: cudaParams, Mesa: mesaParams}

// ParseABI returns a convention by its name.
func ParseABI(name string) (ABI, error) {
	switch name {
	case "", "cuda":
		return CUDA, nil
	case "mesa":
		return Mesa, nil
	}
	return 0, fmt.Errorf("no convention %q; there are cuda, mesa", name)
}

// A Buffer is a range of bytes of g[Bank], which the program may write.
type Buffer struct {
	Name string
	Bank int
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
	Variant string      // g80
	Target  *isa.Target // of its code, for compute; nil: from Variant
	Code    []byte
	Base    uint64 // address of Code, which its branches use
	Entry   uint64 // in Code
	// Registers is how many registers the program has: a multiple of 4 up to 128; 0: 128. If Target is set, its option
	// applies instead.
	Registers int
	ABI       ABI
	Grid      [3]uint32 // blocks
	Block     [3]uint32 // threads
	Params    []byte
	// Shared is the size in bytes of s[] after the parameters. Accesses to s[] after it are out of bounds.
	Shared   int
	Local    int // bytes of l[] of a thread
	Buffers  []*Buffer
	Const    [tesla.Banks][]byte
	Textures *Textures // nil: none
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
	target := k.Target
	if target == nil {
		var err error
		if target, err = targetOf(k.Variant, "compute", k.Registers); err != nil {
			return nil, err
		}
	}
	env, err := k.env()
	if err != nil {
		return nil, err
	}
	return set.Of(&launch.Launch{
		Kernel: k.Name, Program: exec.NewProgram(&isa.Program{Target: target, Code: k.Code, Base: k.Base, Map: set.Map}), Entry: ir.Key{PC: k.Base + k.Entry},
		Grid: launch.Grid{Groups: k.Grid, Block: k.Block}, Lanes: tesla.Lanes, Target: &blocks{k}, Env: env,
		GroupBytes: abiParams[k.ABI] + len(k.Params) + k.Shared, GroupBanks: sharedBanks, Private: mem.Extent{Size: uint64(k.Local), Rights: mem.ReadWrite}, PrivateUnit: 4,
	}), nil
}

// check rejects values that no chip supports.
func (k *Kernel) check() error {
	threads := uint64(1)
	for i := range 3 {
		hi, lo := bits.Mul64(threads, uint64(k.Block[i]))
		if threads = lo; hi != 0 || threads == 0 || threads > maxBlock {
			return launch.BlockErrorf("blocks of %v threads; want 1 to %d in all", k.Block, maxBlock)
		}
		if k.Grid[i] == 0 || k.Grid[i] > 0xffff {
			return fmt.Errorf("grid of %v blocks; want 1 to 65535 on each axis", k.Grid)
		}
	}
	shared := abiParams[k.ABI] + len(k.Params) + k.Shared
	switch {
	case k.Block[2] > 64:
		return launch.BlockErrorf("blocks of %v threads: at most 64 along z, as $r0 has room for", k.Block)
	case k.ABI == CUDA && k.Grid[2] != 1:
		return fmt.Errorf("grid of %v blocks: grids of CUDA have no z", k.Grid)
	case k.Shared < 0 || shared > maxShared:
		return fmt.Errorf("%d bytes of s[] with header and parameters; at most %d", shared, maxShared)
	case k.Local < 0 || k.Local > maxLocal:
		return fmt.Errorf("%d bytes of l[]; at most %d", k.Local, maxLocal)
	case k.Entry%4 != 0 || k.Entry >= uint64(len(k.Code)):
		return fmt.Errorf("entry %#x of %s of code", k.Entry, spell.Count(len(k.Code), "byte"))
	}
	return nil
}

// env returns the memory and textures that all threads can access.
func (k *Kernel) env() (env exec.Env, err error) {
	global := make([]*mem.Space, tesla.Banks)
	for _, b := range k.Buffers {
		if b.Bank < 0 || b.Bank >= tesla.Banks || b.Addr+uint64(len(b.Data)) > 1<<32 || b.Addr > 1<<32 {
			return env, fmt.Errorf("buffer %s: %s at g%d[%#x]; banks are 0 to 15, addresses have 32 bits", b.Name, spell.Count(len(b.Data), "byte"), b.Bank, b.Addr)
		}
		if global[b.Bank] == nil {
			global[b.Bank] = &mem.Space{Name: fmt.Sprintf("g%d", b.Bank)}
		}
		g := mem.SegmentOf(b.Name, b.Addr, b.Data, b.ReadOnly, b.InPlace)
		if err := global[b.Bank].Add(g); err != nil {
			return env, err
		}
		b.Data = g.Data[:len(b.Data):len(b.Data)] // the memory that the program accesses
	}
	if env, err = newEnv(k.Const, k.Textures); err != nil {
		return env, err
	}
	env.Spaces[ir.GlobalSpace] = global
	return env, nil
}

// newEnv returns an environment with constants and textures.
func newEnv(data [tesla.Banks][]byte, t *Textures) (env exec.Env, err error) {
	consts := make([]*mem.Space, tesla.Banks)
	for bank, d := range data {
		if d == nil {
			continue
		}
		if len(d) > maxConst {
			return env, fmt.Errorf("%d bytes of c%d[]; at most %d", len(d), bank, maxConst)
		}
		g := mem.NewSegment(fmt.Sprintf("c%d", bank), 0, len(d), mem.Read)
		copy(g.Data, d)
		if consts[bank], err = mem.NewSpace(g.Name, g); err != nil {
			return env, err
		}
	}
	env.Spaces[ir.ConstSpace] = consts
	if t == nil {
		t = &Textures{}
	}
	env.ImageOf = t.imageOf
	return env, nil
}

// targetOf returns the target of a chip and stage with that number of registers.
func targetOf(variant, stage string, registers int) (*isa.Target, error) {
	set := tesla.Set()
	v, ok := set.Variant(variant)
	if !ok {
		return nil, fmt.Errorf("there is no tesla:%s", variant)
	}
	s, ok := set.Stage(stage)
	if !ok {
		return nil, fmt.Errorf("there is no stage %s", stage)
	}
	t := set.At(v, s)
	if registers == 0 {
		return t, nil
	}
	return t.With(t.Dialect, map[string]string{"registers": fmt.Sprint(registers)})
}

// blocks starts the blocks of a kernel. It implements launch.Target.
type blocks struct{ k *Kernel }

// Again implements launch.Steady: only the memory of a block depends on its position.
func (*blocks) Again(*launch.Group, int, *exec.State) {}

func (b *blocks) NewGroup(g *launch.Group, env *exec.Env) error {
	k := b.k
	data := env.Space(ir.GroupSpace, 0).Segments()[0].Data
	grid := launch.Grid{Groups: k.Grid, Block: k.Block}
	writeHeader(data, g, &grid)
	if k.ABI == Mesa {
		writeHeaderZ(data, g, &grid)
	}
	copy(data[abiParams[k.ABI]:], k.Params)
	return nil
}

func (b *blocks) InitWave(g *launch.Group, wave int, st *exec.State, _ *exec.Env) error {
	initThreads(g, wave, st)
	return nil
}

// writeHeader writes the start of s[] that is common to all compilers.
func writeHeader(data []byte, g *launch.Group, grid *launch.Grid) {
	for i := range 3 {
		binary.LittleEndian.PutUint16(data[headBlock+2*i:], uint16(grid.Block[i]))
	}
	for i := range 2 {
		binary.LittleEndian.PutUint16(data[headGrid+2*i:], uint16(grid.Groups[i]))
		binary.LittleEndian.PutUint16(data[headID+2*i:], uint16(g.ID[i]))
	}
}

// writeHeaderZ writes what Mesa adds.
func writeHeaderZ(data []byte, g *launch.Group, grid *launch.Grid) {
	binary.LittleEndian.PutUint16(data[mesaGridZ:], uint16(grid.Groups[2]))
	binary.LittleEndian.PutUint16(data[mesaBlockZ:], uint16(g.ID[2]))
}

// initThreads sets the initial registers of a block's threads: their ID in $r0, and $physid.
func initThreads(g *launch.Group, wave int, st *exec.State) {
	r0 := st.Row(ir.Cell{File: tesla.FileR})
	for lane := range r0 {
		at := g.Item(wave, st.Lanes, lane)
		r0[lane] = at[0] | at[1]<<16 | at[2]<<26
	}
	initPhysID(wave, st)
}

// initPhysID sets $physid: thread and warp, on the first multiprocessor.
func initPhysID(wave int, st *exec.State) {
	id := st.Row(ir.Cell{File: tesla.FileSR, Index: tesla.SRPhysID})
	for lane := range id {
		id[lane] = uint32(lane | wave<<8)
	}
}

// lowest returns the lowest lane of a mask, which must not be 0.
func lowest(m uint64) int { return bits.TrailingZeros64(m) & 63 }
