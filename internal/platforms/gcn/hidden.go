package gcn

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/mem"
	"github.com/heddle-gpu/heddle/object"
)

// hiddenArgs maps the compiler's hidden arguments to their values, by their kind without hidden_. The kinds of code
// objects 3 and 4 are a subset of those of 5. Arguments for features without runtime support (device queues, a heap,
// grids of several devices) are the null pointer. Source: docs/reference/gcn.md 9.3.
var hiddenArgs = sync.OnceValue(func() map[string]func(d *dispatch) uint64 {
	return map[string]func(d *dispatch) uint64{
		"none": zero, "multigrid_sync_arg": zero, "heap_v1": zero, "default_queue": zero, "completion_action": zero,
		"printf_buffer": printfBuffer, "hostcall_buffer": hostcallBuffer,

		"block_count_x":   func(d *dispatch) uint64 { return d.wholeGroups(0) },
		"block_count_y":   func(d *dispatch) uint64 { return d.wholeGroups(1) },
		"block_count_z":   func(d *dispatch) uint64 { return d.wholeGroups(2) },
		"group_size_x":    func(d *dispatch) uint64 { return uint64(d.k.Block[0]) },
		"group_size_y":    func(d *dispatch) uint64 { return uint64(d.k.Block[1]) },
		"group_size_z":    func(d *dispatch) uint64 { return uint64(d.k.Block[2]) },
		"remainder_x":     func(d *dispatch) uint64 { return uint64(d.k.Grid[0] % d.k.Block[0]) },
		"remainder_y":     func(d *dispatch) uint64 { return uint64(d.k.Grid[1] % d.k.Block[1]) },
		"remainder_z":     func(d *dispatch) uint64 { return uint64(d.k.Grid[2] % d.k.Block[2]) },
		"global_offset_x": func(d *dispatch) uint64 { return d.k.Offset[0] },
		"global_offset_y": func(d *dispatch) uint64 { return d.k.Offset[1] },
		"global_offset_z": func(d *dispatch) uint64 { return d.k.Offset[2] },
		"grid_dims":       func(d *dispatch) uint64 { return uint64(d.k.Dims) },

		"dynamic_lds_size": func(d *dispatch) uint64 { return uint64(d.dynamic) },
		"private_base":     func(*dispatch) uint64 { return privateAperture },
		"shared_base":      func(*dispatch) uint64 { return sharedAperture },
		"queue_ptr":        func(*dispatch) uint64 { return queueAddr },
	}
})

func zero(*dispatch) uint64 { return 0 }

// wholeGroups returns how many groups of an axis are whole.
func (d *dispatch) wholeGroups(axis int) uint64 { return uint64(d.k.Grid[axis] / d.k.Block[axis]) }

// hidden writes the hidden arguments that the metadata lists; the code reads no others.
func (d *dispatch) hidden(list []object.Arg) error {
	for i := range list {
		a := &list[i]
		kind, ok := strings.CutPrefix(a.ValueKind, "hidden_")
		if !ok {
			continue
		}
		value, ok := hiddenArgs()[kind]
		if !ok {
			return fmt.Errorf("hidden arguments of kind %s are not built yet", a.ValueKind)
		}
		if a.Size > 8 {
			return fmt.Errorf("the metadata gives %s %s", a.ValueKind, spell.Count(a.Size, "byte"))
		}
		d.passed = append(d.passed, [2]int{int(a.Offset), int(a.Offset) + int(a.Size)})
		copy(d.kernarg[a.Offset:][:a.Size], binary.LittleEndian.AppendUint64(nil, value(d)))
	}
	return nil
}

// kernargUnit is the unit to which the size of the kernarg segment is rounded up, with zeros at its end: compilers load
// 16 bytes for 12. Source: docs/reference/gcn.md 9.3.
const kernargUnit = 16

// system returns the segments that a runtime creates for a launch.
func (d *dispatch) system() []mem.Segment {
	segs := []mem.Segment{
		mem.NewSegment("queue", queueAddr, 0x100, mem.Read),
		mem.NewSegment("dispatch packet", packetAddr, 64, mem.Read),
	}
	d.queue(segs[0].Data)
	d.packet(segs[1].Data)
	if len(d.kernarg) > 0 {
		k := mem.NewSegment(kernargName, kernargAddr, roundUp(len(d.kernarg), widestLoad), mem.Read)
		copy(k.Data, d.kernarg)
		n := roundUp(len(d.kernarg), kernargUnit)
		k.Data, k.Pad, k.Unset = k.Data[:n], len(k.Data)-n, d.padding(len(k.Data))
		segs = append(segs, k)
	}
	return append(segs, d.own...)
}

// padding returns the ranges of the kernarg segment, of so many bytes, that no argument is in. The segment begins with
// zeros here, but no ABI says what hosts leave there.
func (d *dispatch) padding(size int) (list [][2]int) {
	slices.SortFunc(d.passed, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	at := 0
	for _, p := range append(slices.Clone(d.passed), [2]int{size, size}) {
		if p[0] > at {
			list = append(list, [2]int{at, p[0]})
		}
		at = max(at, p[1])
	}
	return list
}

// queue fills the fields of amd_queue_t that code objects 3 and 4 use to form generic pointers. Source:
// docs/reference/gcn.md 9.4.
func (d *dispatch) queue(b []byte) {
	binary.LittleEndian.PutUint32(b[0x40:], sharedAperture)
	binary.LittleEndian.PutUint32(b[0x44:], privateAperture)
}

// packet fills the 64 bytes of the dispatch packet. Source: docs/reference/gcn.md 9.4.
func (d *dispatch) packet(b []byte) {
	le := binary.LittleEndian
	le.PutUint16(b[0:], 2) // a kernel dispatch; no barrier, no fences
	le.PutUint16(b[2:], uint16(d.k.Dims))
	for i := range 3 {
		le.PutUint16(b[4+2*i:], uint16(d.k.Block[i]))
		le.PutUint32(b[12+4*i:], d.k.Grid[i])
	}
	le.PutUint32(b[24:], d.scratch.lane)
	le.PutUint32(b[28:], d.lds)
	le.PutUint64(b[32:], d.kernel.DescriptorAddr+d.k.Module.bias)
	if len(d.kernarg) > 0 {
		le.PutUint64(b[40:], kernargAddr)
	}
}
