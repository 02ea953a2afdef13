//go:build linux && amd64

package amdgpu

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/chip"
	"github.com/heddle-gpu/heddle/internal/gpu/drm"
	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/mem"
)

// A bench is a device with one open file in this process: a context, and memory at benchBase.
type bench struct {
	*client
	x     *gpuContext
	words []uint32 // of memory
	log   *bytes.Buffer
}

const (
	benchBase  = 0x10000
	benchBytes = 1 << 20
)

// newBench opens a device. Zero values of options are defaults.
func newBench(t testing.TB, chipName string, opt Options) *bench {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	found, err := chip.Lookup(chipName)
	must(err)
	if opt.Engine == nil {
		opt.Engine, err = engines.Lookup(engines.Auto, engines.Use{})
		must(err)
	}
	opt.Workers = max(opt.Workers, 1)
	d, err := New(found, opt)
	must(err)
	a, err := host.NewArena("heddle-test")
	must(err)
	b := &bench{log: &bytes.Buffer{}}
	opened, err := drm.NewDevice(d, a, b.log).OpenFile()
	must(err)
	f := opened.(*drm.File)
	t.Cleanup(func() { f.Closed(); a.Close() })
	b.client = f.Client.(*client)
	b.x = &gpuContext{id: 1, queues: map[ring]*queue{}}
	b.contexts[1] = b.x
	memory, _, err := f.NewBuffer(benchBytes, 0, &d.gtt)
	must(err)
	must(f.VM.Map(drm.Mapping{VA: benchBase, Size: benchBytes, Buffer: memory, Rights: mem.ReadWrite}))
	b.words = unsafe.Slice((*uint32)(unsafe.Pointer(&memory.Bytes()[0])), benchBytes/4)
	return b
}

// at returns the words at an address.
func (b *bench) at(va uint64) []uint32 { return b.words[(va-benchBase)/4:] }

// assemble puts a program at an address.
func (b *bench) assemble(t testing.TB, va uint64, source string) {
	t.Helper()
	code, errs := asm.Assemble(b.d.target, []byte(source), asm.Options{})
	for _, err := range errs {
		t.Fatal(err)
	}
	for i := range len(code.Code) / 4 {
		b.at(va)[i] = *(*uint32)(unsafe.Pointer(&code.Code[4*i]))
	}
}

// run puts commands at an address, submits them to a ring and waits for their end.
func (b *bench) run(ring ring, va uint64, words ...uint32) error {
	copy(b.at(va), words)
	j := &job{fence: b.NewFence(), ibs: []indirectBuffer{{va: va, bytes: uint32(4 * len(words)), ring: ring}}}
	if _, err := b.enqueue(b.x, j); err != nil {
		return err
	}
	<-j.fence.Done()
	return j.fence.Err()
}

// p3 is a packet of type 3.
func p3(op uint32, words ...uint32) []uint32 {
	return append([]uint32{3<<30 | uint32(len(words)-1)<<16 | op<<8}, words...)
}

// setSH sets compute registers from the one at a byte address on.
func setSH(reg uint32, words ...uint32) []uint32 {
	return p3(0x76, append([]uint32{(reg - 0xb000) / 4}, words...)...)
}

// A shader is a compute program and the registers that it starts with.
type shader struct {
	va           uint64
	rsrc1, rsrc2 uint32
	user         []uint32
	block        [3]uint32
}

// commands sets the registers of a shader and dispatches it.
func (s *shader) commands(groups [3]uint32) (words []uint32) {
	for _, p := range [][]uint32{
		setSH(regProgramLo, uint32(s.va>>8), uint32(s.va>>40)), setSH(regRsrc1, s.rsrc1, s.rsrc2|uint32(len(s.user))<<1),
		setSH(regThreads, s.block[:]...), setSH(regUser, s.user...),
		p3(0x15, groups[0], groups[1], groups[2], initEnable|initFromZero),
	} {
		words = append(words, p...)
	}
	return words
}

// rawBuffer is the V# of a range of memory without a stride.
func rawBuffer(va uint64, bytes uint32) []uint32 {
	return []uint32{uint32(va), uint32(va >> 32), bytes, 4 | 5<<3 | 6<<6 | 7<<9 | 4<<12 | 4<<15}
}

// store writes the number of each work-item of a group, plus the group's times 64, to a buffer.
const store = `
	s_lshl_b32 s4, s4, 6
	v_or_b32 v0, s4, v0
	v_lshlrev_b32 v1, 2, v0
	buffer_store_dword v0, v1, s[0:3], 0 offen
	s_endpgm
`

// groupIDX is RSRC2's TGID_X_EN.
const groupIDX = 1 << 7

// BenchmarkDispatch is the time of a submission with one small dispatch, and of many dispatches in one submission.
func BenchmarkDispatch(b *testing.B) {
	for _, groups := range []uint32{1, 16} {
		b.Run(fmt.Sprintf("groups=%d", groups), func(b *testing.B) {
			x := newBench(b, "polaris10", Options{})
			x.assemble(b, 0x20000, store)
			s := &shader{va: 0x20000, rsrc2: groupIDX, user: rawBuffer(0x30000, 1<<16), block: [3]uint32{64, 1, 1}}
			one := s.commands([3]uint32{groups, 1, 1})
			var words []uint32
			for range 100 {
				words = append(words, one...)
			}
			compute := ring{kind: ipCompute}
			b.ReportAllocs()
			for n := b.N; n > 0; n -= 100 {
				if err := x.run(compute, 0x40000, words[:min(n, 100)*len(one)]...); err != nil {
					b.Fatal(err, x.log)
				}
			}
		})
	}
}
