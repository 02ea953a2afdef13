package eval

import (
	"fmt"
	"slices"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/mem"
)

// A Device is a range of global memory without bytes: functions serve the accesses. Offset is relative to the start of
// the range.
type Device struct {
	Base, Size uint64
	Read       func(offset uint64, p []byte) // fills p; nil: loads fault
	Write      func(offset uint64, p []byte) // receives p; nil: stores fault

	name string
	w    *Wave
}

var _ mem.Device = (*Device)(nil)

// last returns the address of the last byte.
func (d *Device) last() uint64 { return d.Base + d.Size - 1 }

func (d *Device) extent() mem.Extent {
	e := mem.Extent{Name: d.name, Base: d.Base, Size: d.Size}
	if d.Read != nil {
		e.Rights |= mem.Read
	}
	if d.Write != nil {
		e.Rights |= mem.Write
	}
	return e
}

// Load implements mem.Device.
func (d *Device) Load(addr uint64, p []byte) {
	d.w.serving = true
	defer func() { d.w.serving = false }()
	d.Read(addr-d.Base, p)
}

// Store implements mem.Device.
func (d *Device) Store(addr uint64, p []byte) {
	d.w.serving = true
	defer func() { d.w.serving = false }()
	d.Write(addr-d.Base, p)
}

// Atomic implements mem.Device: it reads and writes.
func (d *Device) Atomic(addr uint64, size int, op mem.AtomicOp, data, cmp uint64) (old uint64) {
	p := d.w.word[:size]
	clear(p)
	d.Load(addr, p)
	old = mem.Load(p)
	mem.Store(p, op.Apply(8*size, old, data, cmp))
	d.Store(addr, p)
	return old
}

// MapDevice adds a device.
func (w *Wave) MapDevice(d *Device) error {
	switch {
	case w.busy():
		return errInAccess
	case d.Size == 0 || d.last() < d.Base:
		return fmt.Errorf("device at %#x: %#x bytes; want 1 or more, within the 64-bit addresses", d.Base, d.Size)
	case d.Read == nil && d.Write == nil:
		return fmt.Errorf("device at %#x: no function to read or write it", d.Base)
	}
	w.mapped++
	d.w, d.name = w, fmt.Sprintf("device %d", w.mapped)
	if err := w.apart(d.extent()); err != nil {
		return err
	}
	for _, g := range w.global().Segments() {
		if x := g.Extent(); overlap(x, d.extent()) {
			return fmt.Errorf("device at %v overlaps %v", d.extent(), x)
		}
	}
	w.devices = append(w.devices, d)
	w.global().Miss = w.miss
	return nil
}

// apart reports a device that new memory would overlap.
func (w *Wave) apart(x mem.Extent) error {
	for _, d := range w.devices {
		if overlap(d.extent(), x) {
			return fmt.Errorf("%v overlaps %v", x, d.extent())
		}
	}
	return nil
}

func overlap(a, b mem.Extent) bool {
	return a.Base <= b.Base+b.Size-1 && b.Base <= a.Base+a.Size-1
}

// device returns the device that contains an address; nil if there is none.
func (w *Wave) device(addr uint64) *Device {
	for _, d := range w.devices {
		if addr-d.Base < d.Size {
			return d
		}
	}
	return nil
}

// unmapDevice removes a device.
func (w *Wave) unmapDevice(d *Device) {
	w.devices = slices.DeleteFunc(w.devices, func(x *Device) bool { return x == d })
	if len(w.devices) == 0 {
		w.global().Miss = nil
	}
}

// miss finds the device for an access, which must lie in it completely.
func (w *Wave) miss(_ *mem.Space, addr, size uint64, _ mem.Rights) mem.Reply {
	d := w.device(addr)
	if d == nil || size > d.Size-(addr-d.Base) {
		return mem.Reply{}
	}
	return mem.Reply{Device: d, Rights: d.extent().Rights}
}

// onDevices reports whether an op may access global memory, which may be a device.
func onDevices(in *ir.Inst) bool {
	return accessesOf(in.Op) != 0 && (in.Mem.Space == ir.GlobalSpace && in.Mem.Bank == 0 || in.Mem.Space == ir.FlatSpace)
}
