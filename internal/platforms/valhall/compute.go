package valhall

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/heddle-gpu/heddle/casefile"
	"github.com/heddle-gpu/heddle/exec"
	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/launch"
	"github.com/heddle-gpu/heddle/mem"
)

// Limits of a compute job. docs/reference/valhall.md 9.2.
const (
	maxBlock   = 1024 // threads of a workgroup
	maxShared  = 64 << 10
	maxPrivate = 64 << 10
	maxTables  = 63
)

// Addresses of what programs find through special values. Buffers are below.
const (
	sharedAt  = casefile.ValhallEnd
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

// compute describes launches of compute programs. Arguments are uniform words from u0 up. Buffers have addresses of
// more than 32 bits, so that a program that drops the high word faults.
var compute = &launch.Compute{
	Machine: valhall.Machine(),
	Layout: func(string) launch.Layout {
		return launch.Layout{Number: 4, Pointer: 8, First: 1 << 32, Align: 1 << 16}
	},
	GroupMemory: "workgroup memory",
	End:         sharedAt,
	Prepare:     prepareKernel,
	Code: func(b *casefile.Build, options map[string]string, code []byte) (ir.Code, error) {
		return valhall.Set().Code(b.Variant, options, b.From, b.Address, code, nil)
	},
}

// prepareKernel returns the launch of a kernel.
func prepareKernel(k *launch.Kernel, env exec.Env) (*launch.Launch, error) {
	if err := check(k); err != nil {
		return nil, err
	}
	target := isa.TargetOf(k.Program.Code)
	if target == nil {
		return nil, fmt.Errorf("the architecture of the program is not known: its code is no program of package isa")
	}
	j := &job{Kernel: k, words: k.Words(), preload: k.Preload}
	if j.preload == 0 {
		j.preload = PreloadAll
	}
	if err := j.setEnv(&env, target.Variant); err != nil {
		return nil, err
	}
	if err := env.MapCode(k.Program.Code); err != nil {
		return nil, err
	}
	return &launch.Launch{Lanes: valhall.Lanes, Target: j, Env: env,
		GroupBytes: k.GroupBytes, Private: mem.Extent{Size: uint64(k.PrivateBytes), Rights: mem.ReadWrite}, PrivateUnit: 4}, nil
}

// check rejects values that no job can encode.
func check(k *launch.Kernel) error {
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
	case len(k.Args) > 4*valhall.NumU:
		return fmt.Errorf("%d uniform words; there are u0 to u%d", (len(k.Args)+3)/4, valhall.NumU-1)
	case k.GroupBytes < 0 || k.GroupBytes > maxShared:
		return fmt.Errorf("%d bytes of workgroup memory; at most %d", k.GroupBytes, maxShared)
	case k.PrivateBytes < 0 || k.PrivateBytes > maxPrivate:
		return fmt.Errorf("%d bytes of thread memory; at most %d", k.PrivateBytes, maxPrivate)
	case len(k.Tables) > maxTables:
		return fmt.Errorf("%d tables of resources; at most %d", len(k.Tables), maxTables)
	}
	return nil
}

// A job starts the workgroups of a kernel. It implements launch.Target.
type job struct {
	*launch.Kernel
	words   []uint32 // from u0 up
	preload uint16
	table   uint64 // resource_table_pointer
}

// setEnv adds what all threads can access besides buffers: the resource table, textures, windows.
func (j *job) setEnv(env *exec.Env, variant int) error {
	global := launch.Global(env)
	if data := j.tables(); len(data) > 0 {
		g := mem.NewSegment("resource table", tablesAt, len(data), mem.Read)
		copy(g.Data, data)
		if err := global.Add(g); err != nil {
			return err
		}
		j.table = tablesAt + uint64(len(j.Tables))
	}
	env.ImageOf = NewResources(global, variant).Of
	if j.GroupBytes > 0 {
		env.Windows = append(env.Windows, exec.Window{Base: sharedAt, Size: uint64(j.GroupBytes), Space: ir.GroupSpace})
	}
	if j.PrivateBytes > 0 {
		env.Windows = append(env.Windows, exec.Window{Base: privateAt, Size: uint64(j.PrivateBytes), Space: ir.PrivateSpace})
	}
	return nil
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
	for i, v := range j.words {
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

var _ launch.Restartable = (*job)(nil)

// Restart implements launch.Restartable: positions in the workgroup do not change.
func (j *job) Restart(g *launch.Group, wave int, st *exec.State) {
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
