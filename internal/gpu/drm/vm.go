//go:build linux && amd64

package drm

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/heddle-gpu/heddle/internal/gpu/host"
	"github.com/heddle-gpu/heddle/mem"
)

// VMSize is the size in bytes of an address space.
const VMSize = 1 << 40

// A VM is the address space of an open file: which buffers are at which addresses. It is a range of addresses of this
// process, too, so that neighbouring mappings are one memory for what accesses them, whatever buffers they are of.
//
// Work that has begun goes on with the memory it has begun with. Addresses that are unmapped meanwhile keep their
// pages until no work is left that could access them; addresses that are mapped anew change at once, as with a real
// page table.
type VM struct {
	dev    *Device
	window unsafe.Pointer

	mu       sync.Mutex
	shadow   unsafe.Pointer // see Shadow; nil: there is none yet
	mappings []Mapping      // by address, disjoint
	memory   *Memory        // of the mappings; nil: to be made
	spare    []*Memory      // those of pieces of work that have not accessed foreign memory
	epochs   []*epoch       // the last is the present one; those before it wait for work of it or of an earlier one
}

// An epoch is a time in which nothing is unmapped. What is unmapped at its end can be accessed by work that began in it
// or before it, and by no later work.
type epoch struct {
	working int       // pieces of work that began in it and have not ended
	ended   []Mapping // unmapped at its end
}

// A Mapping is a part of a buffer at an address.
type Mapping struct {
	VA, Size uint64
	Buffer   *Buffer // nil without Foreign: accesses read zeros and drop what they write (partly resident)
	Off      uint64  // in the buffer or in foreign memory
	Rights   mem.Rights
	Foreign  Foreign
	Shift    uint64 // of a second mapping of what is mapped at VA+Shift: see Shifted; 0: it is not one

	own *copied // of foreign memory, for a piece of work
}

// hole reports whether the mapping has no memory.
func (m *Mapping) hole() bool { return m.Buffer == nil && m.Foreign == nil }

func (m *Mapping) end() uint64 { return m.VA + m.Size }

// Bytes returns the memory of a mapping, nil if it has none.
func (m *Mapping) Bytes() []byte {
	if m.Buffer == nil {
		return m.own.bytes(m)
	}
	return m.Buffer.Bytes()[m.Off:][:m.Size]
}

func newVM(d *Device) (*VM, error) {
	p, err := unix.MmapPtr(-1, 0, nil, VMSize, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("%d GiB of address space for an address space of the device (see ulimit -v): %w", VMSize>>30, err)
	}
	return &VM{dev: d, window: p, epochs: []*epoch{{}}}, nil
}

// mostMappings limits the mappings of a device in all address spaces. Linux limits how many ranges with different pages
// a process has, and a mapping can be two: itself and a gap after it. Without a limit the device would have no memory
// of its own left.
var mostMappings = sync.OnceValue(func() int64 {
	n := int64(65530) // Linux' default
	if text, err := os.ReadFile("/proc/sys/vm/max_map_count"); err == nil {
		if v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			n = v
		}
	}
	return n * 3 / 8
})

// room returns an error if there are too many mappings to make two more.
func (v *VM) room() error {
	if v.dev.mappings.Load() < mostMappings()-2 {
		return nil
	}
	v.dev.Once("more than %d mappings of buffers: raise vm.max_map_count (sysctl) for more", mostMappings())
	return unix.ENOMEM
}

// close unmaps everything. There is no work any more.
func (v *VM) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.release(v.mappings)
	for _, e := range v.epochs {
		v.release(e.ended)
	}
	v.mappings, v.epochs, v.memory, v.spare = nil, nil, nil, nil
	unix.MunmapPtr(v.window, VMSize)
	if v.shadow != nil {
		unix.MunmapPtr(v.shadow, VMSize)
	}
}

func (v *VM) release(list []Mapping) {
	v.dev.mappings.Add(-int64(len(list)))
	for _, m := range list {
		if m.Buffer != nil {
			m.Buffer.Release()
		}
	}
}

// checkRange returns an error if a range is not one of whole pages of the address space.
func checkRange(va, size uint64) error {
	if (va|size)%host.PageSize != 0 || size == 0 || va >= VMSize || size > VMSize-va {
		return unix.EINVAL
	}
	return nil
}

// Map maps part of a buffer. It is an error if part of the range is mapped.
func (v *VM) Map(m Mapping) error {
	if err := v.checkMapping(&m); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if i := v.at(m.VA); i < len(v.mappings) && v.mappings[i].VA < m.end() {
		return unix.EINVAL
	}
	return v.insert(m)
}

func (v *VM) checkMapping(m *Mapping) error {
	if err := checkRange(m.VA, m.Size); err != nil {
		return err
	}
	if err := v.room(); err != nil {
		return err
	}
	if m.Buffer != nil && (m.Off%host.PageSize != 0 || m.Off > m.Buffer.Size || m.Size > m.Buffer.Size-m.Off) {
		return unix.EINVAL
	}
	return nil
}

// Replace maps part of a buffer in place of what is there.
func (v *VM) Replace(m Mapping) error {
	if err := v.checkMapping(&m); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear(m.VA, m.Size)
	return v.insert(m)
}

// Clear unmaps a range, whatever is there.
func (v *VM) Clear(va, size uint64) error {
	if err := checkRange(va, size); err != nil {
		return err
	}
	if err := v.room(); err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.clear(va, size)
	return nil
}

// Unmap unmaps the mapping of a buffer that starts at an address.
func (v *VM) Unmap(b *Buffer, va uint64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	i := v.at(va)
	if i == len(v.mappings) || v.mappings[i].VA != va || v.mappings[i].Buffer != b {
		return unix.ENOENT
	}
	v.clear(va, v.mappings[i].Size)
	return nil
}

// dropBuffer unmaps a buffer wherever it is.
func (v *VM) dropBuffer(b *Buffer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := 0; i < len(v.mappings); i++ {
		if m := v.mappings[i]; m.Buffer == b {
			v.clear(m.VA, m.Size)
			i--
		}
	}
}

// at returns the index of the first mapping that ends after an address.
func (v *VM) at(va uint64) int {
	return sort.Search(len(v.mappings), func(i int) bool { return v.mappings[i].end() > va })
}

// insert adds a mapping to a range that is free, and maps its pages.
func (v *VM) insert(m Mapping) error {
	if m.Buffer != nil {
		if err := v.dev.Arena.MapInto(unsafe.Add(v.window, m.VA), m.Buffer.Off+m.Off, m.Size); err != nil {
			return unix.ENOMEM
		}
		m.Buffer.Retain()
	}
	v.clearShadow(m.VA, m.Size)
	v.dev.mappings.Add(1)
	v.mappings = slices.Insert(v.mappings, v.at(m.VA), m)
	v.memory = nil
	return nil
}

// clear removes a range from the mappings; those that reach out of it keep their other parts.
func (v *VM) clear(va, size uint64) {
	end, now := va+size, v.epochs[len(v.epochs)-1]
	for i := v.at(va); i < len(v.mappings) && v.mappings[i].VA < end; i = v.at(va) {
		m := v.mappings[i]
		var rest []Mapping
		if m.VA < va {
			rest = append(rest, Mapping{VA: m.VA, Size: va - m.VA, Buffer: m.Buffer, Off: m.Off, Rights: m.Rights, Foreign: m.Foreign})
		}
		if m.end() > end {
			rest = append(rest, Mapping{VA: end, Size: m.end() - end, Buffer: m.Buffer, Off: m.Off + end - m.VA, Rights: m.Rights, Foreign: m.Foreign})
		}
		v.dev.mappings.Add(int64(len(rest)))
		for _, r := range rest {
			if r.Buffer != nil {
				r.Buffer.Retain()
			}
		}
		v.mappings = slices.Replace(v.mappings, i, i+1, rest...)
		now.ended = append(now.ended, Mapping{VA: max(m.VA, va), Size: min(m.end(), end) - max(m.VA, va), Buffer: m.Buffer})
		v.memory = nil
	}
	if len(now.ended) > 0 {
		v.epochs = append(v.epochs, &epoch{})
		v.settle()
	}
}

// settle removes the pages of what was unmapped if no work can access them any more.
func (v *VM) settle() {
	for len(v.epochs) > 1 && v.epochs[0].working == 0 {
		ended := v.epochs[0].ended
		v.epochs = v.epochs[1:]
		for _, m := range ended {
			v.hide(m.VA, m.end(), v.epochs)
		}
		v.release(ended)
	}
}

// hide removes the pages of a range, but for those of present mappings and those that ended in epochs.
func (v *VM) hide(va, end uint64, epochs []*epoch) {
	for i, e := range epochs {
		for _, m := range e.ended { // disjoint
			if m.VA < end && m.end() > va {
				if va < m.VA {
					v.hide(va, m.VA, epochs[i:])
				}
				if m.end() < end {
					v.hide(m.end(), end, epochs[i:])
				}
				return
			}
		}
	}
	for va < end {
		stop, next := end, end
		if i := v.at(va); i < len(v.mappings) && v.mappings[i].VA < end {
			stop, next = max(v.mappings[i].VA, va), v.mappings[i].end()
		}
		if stop > va {
			v.clearShadow(va, stop-va)
			// An error leaves pages that nothing accesses: no mapping shows them.
			unix.MmapPtr(-1, 0, unsafe.Add(v.window, va), uintptr(stop-va), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_FIXED)
		}
		va = next
	}
}

// Begin begins a piece of work and returns the memory that it accesses. Its end must be told by End.
func (v *VM) Begin() *Memory {
	v.mu.Lock()
	defer v.mu.Unlock()
	m := v.current()
	if m.foreign {
		m = v.own(m)
	}
	m.epoch.working++
	return m
}

func (v *VM) current() *Memory {
	if v.memory == nil {
		v.memory = newMemory(v)
		v.memory.epoch = v.epochs[len(v.epochs)-1]
	}
	return v.memory
}

// End ends a piece of work that has begun with a memory.
func (v *VM) End(m *Memory) {
	m.flush()
	v.mu.Lock()
	defer v.mu.Unlock()
	m.epoch.working--
	if m.base != nil && m.base == v.memory && len(v.spare) < mostSpare && m.untouched() {
		v.spare = append(v.spare, m)
	}
	v.settle()
}

// A Memory is what an address space shows at some time.
type Memory struct {
	Space    *mem.Space // a segment for each range of neighbouring mappings with equal rights
	mappings []Mapping
	epoch    *epoch // in which it was made: until it ends, the mappings are there
	dev      *Device
	window   unsafe.Pointer
	foreign  bool    // some mappings are of foreign memory: each piece of work has a memory of its own
	base     *Memory // of such a memory: that of the address space
}

func newMemory(v *VM) *Memory {
	m := &Memory{mappings: slices.Clone(v.mappings), dev: v.dev, window: v.window}
	m.foreign = slices.ContainsFunc(m.mappings, func(in Mapping) bool { return in.Foreign != nil })
	m.Space = m.space()
	return m
}

// space returns a space of the mappings.
func (m *Memory) space() *mem.Space {
	s := &mem.Space{Name: "global"}
	for i := 0; i < len(m.mappings); {
		from := &m.mappings[i]
		first, end := i, from.end()
		for i++; i < len(m.mappings) && m.mappings[i].VA == end && m.mappings[i].like(from); i++ {
			end = m.mappings[i].end()
		}
		if from.Buffer == nil {
			s.Miss = m.miss
			continue
		}
		if from.Rights == 0 {
			continue
		}
		g := mem.Segment{Name: segmentName(m.mappings[first:i]), Base: from.VA, Rights: from.Rights,
			Data: unsafe.Slice((*byte)(unsafe.Add(m.window, from.VA+from.Shift)), end-from.VA)}
		if err := s.Add(g); err != nil {
			panic("drm: " + err.Error()) // mappings are disjoint
		}
	}
	return s
}

// like reports whether two neighbouring mappings are one memory.
func (m *Mapping) like(n *Mapping) bool {
	return m.Rights == n.Rights && (m.Buffer == nil) == (n.Buffer == nil) && m.Shift == n.Shift
}

// miss serves accesses of which part is in a mapping without a buffer.
func (m *Memory) miss(_ *mem.Space, addr, size uint64, _ mem.Rights) mem.Reply {
	var parts []Mapping
	holes := false
	if !m.each(addr, size, func(in Mapping) { parts, holes = append(parts, in), holes || in.Buffer == nil }) || !holes {
		return mem.Reply{}
	}
	if len(parts) == 1 && !parts[0].hole() {
		return mem.Reply{Segment: mem.Segment{Name: segmentName(parts), Base: parts[0].VA, Rights: parts[0].Rights, Data: parts[0].Bytes()}}
	}
	return mem.Reply{Device: partly{m, (*Mapping).Bytes}}
}

// Shifted returns a memory that has what is mapped in a range of addresses from shift on a second time, from 0 on, and
// nothing else there.
func (m *Memory) Shifted(shift, size uint64) *Memory {
	n := &Memory{epoch: m.epoch, dev: m.dev, window: m.window, foreign: m.foreign}
	for _, in := range m.mappings {
		if in, ok := in.within(shift, shift+size); ok {
			in.VA, in.Shift = in.VA-shift, shift
			n.mappings = append(n.mappings, in)
		}
	}
	for _, in := range m.mappings {
		if in, ok := in.within(size, VMSize); ok {
			n.mappings = append(n.mappings, in)
		}
	}
	n.Space = n.space()
	return n
}

// within returns the part of a mapping that lies in a range; false: there is none. Foreign memory is copied as a whole,
// and has no parts.
func (m Mapping) within(from, to uint64) (Mapping, bool) {
	first, last := max(m.VA, from), min(m.end(), to)
	if first >= last || m.Foreign != nil && last-first != m.Size {
		return Mapping{}, false
	}
	m.VA, m.Off, m.Size = first, m.Off+first-m.VA, last-first
	return m, true
}

// each calls do for the mappings of a range, and reports whether they are all of it.
func (m *Memory) each(addr, size uint64, do func(Mapping)) bool {
	for at := addr; at < addr+size; {
		in, ok := m.Find(at)
		if !ok {
			return false
		}
		do(in)
		at = in.end()
	}
	return true
}

// View returns a space with a segment for each mapping that is accessed, of the bytes that show returns for it then.
func (m *Memory) View(show func(*Mapping) []byte) *mem.Space {
	return &mem.Space{Name: m.Space.Name, Miss: func(_ *mem.Space, addr, size uint64, _ mem.Rights) mem.Reply {
		var parts []Mapping
		if !m.each(addr, size, func(in Mapping) { parts = append(parts, in) }) {
			return mem.Reply{}
		}
		if len(parts) > 1 || parts[0].hole() {
			return mem.Reply{Device: partly{m, show}}
		}
		return mem.Reply{Segment: mem.Segment{Name: segmentName(parts), Base: parts[0].VA, Rights: parts[0].Rights, Data: show(&parts[0])}}
	}}
}

// partly is memory of several mappings, some of which may have no buffer: there it reads as zeros and drops what is
// stored. Atomic operations return 0.
type partly struct {
	m    *Memory
	show func(*Mapping) []byte
}

// each calls do for the parts of p that have memory.
func (d partly) each(addr uint64, p []byte, do func(there, p []byte)) {
	d.m.each(addr, uint64(len(p)), func(in Mapping) {
		from, to := max(addr, in.VA), min(addr+uint64(len(p)), in.end())
		if there := d.show(&in); there != nil {
			do(there[from-in.VA:to-in.VA], p[from-addr:to-addr])
		}
	})
}

// Load implements mem.Device.
func (d partly) Load(addr uint64, p []byte) {
	clear(p)
	d.each(addr, p, func(there, p []byte) { copy(p, there) })
}

// Store implements mem.Device.
func (d partly) Store(addr uint64, p []byte) {
	d.each(addr, p, func(there, p []byte) { copy(there, p) })
}

// Atomic implements mem.Device. An access that is whole in memory does not come here.
func (d partly) Atomic(addr uint64, size int, op mem.AtomicOp, data, cmp uint64) uint64 { return 0 }

// segmentName names neighbouring mappings by their buffers.
func segmentName(list []Mapping) string {
	if list[0].Buffer == nil {
		return fmt.Sprintf("the program's own memory at %#x", list[0].VA)
	}
	name := fmt.Sprintf("buffer %d", list[0].Buffer.Handle)
	if n := len(list) - 1; n > 0 {
		name += fmt.Sprintf(" and %d after it", n)
	}
	return fmt.Sprintf("%s at %#x", name, list[0].VA)
}

// Find returns the mapping that contains an address.
func (m *Memory) Find(va uint64) (Mapping, bool) {
	i := sort.Search(len(m.mappings), func(i int) bool { return m.mappings[i].end() > va })
	if i == len(m.mappings) || m.mappings[i].VA > va {
		return Mapping{}, false
	}
	return m.mappings[i], true
}

// Bytes returns memory that is mapped with the rights, in one range of neighbouring mappings; otherwise the error is a
// *mem.Fault.
func (m *Memory) Bytes(va, size uint64, want mem.Rights) ([]byte, error) {
	b, fault := m.Space.At(new(mem.Cursor), va, size, want)
	if fault != nil {
		return nil, fault
	}
	return b, nil
}

// Read copies memory to p.
func (m *Memory) Read(va uint64, p []byte) error {
	b, err := m.Bytes(va, uint64(len(p)), mem.Read)
	copy(p, b)
	return err
}

// Write copies p to memory.
func (m *Memory) Write(va uint64, p []byte) error {
	b, err := m.Bytes(va, uint64(len(p)), mem.Write)
	copy(b, p)
	return err
}
