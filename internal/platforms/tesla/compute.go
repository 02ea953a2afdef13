package tesla

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
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

// Calling conventions by compiler: where a program finds its parameters.
const (
	CUDA = "cuda" // parameters at s[0x10], pointers of 32 bits into g14; grids have no z
	Mesa = "mesa" // s[0x10] and s[0x12] are the z of grid and block, parameters begin at s[0x14]; buffers are g0, g1 …
)

// paramsAt returns where parameters begin in s[].
func paramsAt(abi string) int {
	if abi == Mesa {
		return mesaParams
	}
	return cudaParams
}

// cudaBank is the g[] in which CUDA keeps all memory.
const cudaBank = 14

// compute describes launches of compute programs.
var compute = &launch.Compute{
	Machine: tesla.Machine(),
	ABIs:    []string{CUDA, Mesa},
	Layout: func(abi string) launch.Layout {
		l := launch.Layout{Pointer: 4, First: 0x10000, Align: 0x100, Space: launch.Space{ID: ir.GlobalSpace, Bank: cudaBank}, Named: named}
		if abi == Mesa {
			l.Space.Bank, l.Banked = 0, true
		}
		return l
	},
	GroupMemory: "shared memory",
	End:         1 << 32,
	SpaceName: func(s launch.Space) string {
		if s.ID == ir.ConstSpace {
			return fmt.Sprintf("c%d", s.Bank)
		}
		return fmt.Sprintf("g%d", s.Bank)
	},
	Space:   func(s launch.Space) string { return fmt.Sprintf("%s%d", s.ID, s.Bank) }, // global3, const1
	Prepare: prepareKernel,
	Code: func(b *casefile.Build, options map[string]string, code []byte) (ir.Code, error) {
		return tesla.Set().Code(b.Variant, options, b.From, b.Address, code, nil)
	},
}

// named returns the space of a buffer by its name: g3 is g3[], c1 the constants of c1[].
func named(name string) (launch.Space, bool) {
	bank, err := strconv.ParseUint(name[min(1, len(name)):], 10, 8)
	switch {
	case err != nil || bank >= tesla.Banks:
		return launch.Space{}, false
	case name[0] == 'g':
		return launch.Space{ID: ir.GlobalSpace, Bank: uint8(bank)}, true
	}
	return launch.Space{ID: ir.ConstSpace, Bank: uint8(bank)}, name[0] == 'c'
}

// prepareKernel returns the launch of a kernel.
func prepareKernel(k *launch.Kernel, env exec.Env) (*launch.Launch, error) {
	if err := check(k); err != nil {
		return nil, err
	}
	if env.ImageOf = k.ImageOf; env.ImageOf == nil {
		env.ImageOf = (&Textures{}).Of
	}
	return &launch.Launch{Lanes: tesla.Lanes, Target: &blocks{k}, Env: env,
		GroupBytes: paramsAt(k.ABI) + len(k.Args) + k.GroupBytes, GroupBanks: sharedBanks, Private: mem.Extent{Size: uint64(k.PrivateBytes), Rights: mem.ReadWrite}, PrivateUnit: 4}, nil
}

// check rejects values that no chip supports.
func check(k *launch.Kernel) error {
	if t := isa.TargetOf(k.Program.Code); t != nil && t.Stage != 0 {
		return fmt.Errorf("it is a program of stage %s: compute programs are launched", strings.ToLower(t.Stages[t.Stage]))
	}
	threads := uint64(1)
	for i := range 3 {
		hi, lo := bits.Mul64(threads, uint64(k.Block[i]))
		if threads = lo; hi != 0 || threads == 0 || threads > maxBlock {
			return launch.BlockErrorf("blocks of %v threads; want 1 to %d in all", k.Block, maxBlock)
		}
		if k.Groups[i] == 0 || k.Groups[i] > 0xffff {
			return fmt.Errorf("grid of %v blocks; want 1 to 65535 on each axis", k.Groups)
		}
	}
	shared := paramsAt(k.ABI) + len(k.Args) + k.GroupBytes
	switch {
	case k.Block[2] > 64:
		return launch.BlockErrorf("blocks of %v threads: at most 64 along z, as $r0 has room for", k.Block)
	case k.ABI != Mesa && k.Groups[2] != 1:
		return fmt.Errorf("grid of %v blocks: grids of CUDA have no z", k.Groups)
	case k.GroupBytes < 0 || shared > maxShared:
		return fmt.Errorf("%d bytes of s[] with header and parameters; at most %d", shared, maxShared)
	case k.PrivateBytes < 0 || k.PrivateBytes > maxLocal:
		return fmt.Errorf("%d bytes of l[]; at most %d", k.PrivateBytes, maxLocal)
	}
	for _, b := range k.Buffers {
		if b.Space.Bank >= tesla.Banks {
			return fmt.Errorf("buffer %s: bank %d; banks are 0 to %d", b.Name, b.Space.Bank, tesla.Banks-1)
		}
		if b.Space.ID == ir.ConstSpace && len(b.Data) > maxConst {
			return fmt.Errorf("%d bytes of c%d[]; at most %d", len(b.Data), b.Space.Bank, maxConst)
		}
	}
	return nil
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
	env.ImageOf = t.Of
	return env, nil
}

// targetOf returns the target of a chip and stage.
func targetOf(variant, stage string) (*isa.Target, error) {
	return tesla.Set().Target(isa.Config{Variant: variant, Stage: stage})
}

// blocks starts the blocks of a kernel. It implements launch.Target.
type blocks struct{ k *launch.Kernel }

var _ launch.Restartable = (*blocks)(nil)

// Restart implements launch.Restartable: only the memory of a block depends on its position.
func (*blocks) Restart(*launch.Group, int, *exec.State) {}

func (b *blocks) NewGroup(g *launch.Group, env *exec.Env) error {
	k := b.k
	data := env.Space(ir.GroupSpace, 0).Segments()[0].Data
	grid := launch.Grid{Groups: k.Groups, Block: k.Block}
	writeHeader(data, g, &grid)
	if k.ABI == Mesa {
		writeHeaderZ(data, g, &grid)
	}
	copy(data[paramsAt(k.ABI):], k.Args)
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
