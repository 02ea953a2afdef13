package heddle

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// Load copies machine code to an address of global memory, as a new region that the program may read and execute. It
// may be called several times.
func (w *Wave) Load(addr uint64, code []byte) error {
	return w.w.Map(addr, code, mem.Read|mem.Execute, false)
}

// LoadText assembles a program, in the syntax of NewWave, for an address, and loads it. A .base directive overrides
// addr. The error is Errors if the text is wrong. Instructions without a public encoding cannot be loaded.
func (w *Wave) LoadText(addr uint64, program string) error {
	p, base, errs := eval.AssembleAt(w.w.Program.Target, program, addr)
	if len(errs) > 0 {
		return Errors(errs)
	}
	if err := p.Instructions(); err != nil {
		return Errors{isa.AsError(err)}
	}
	for i := range p.Bundles {
		if p.Bundles[i].Private() {
			return &isa.Error{Code: isa.ErrEncoding, Msg: fmt.Sprintf("%s has no public encoding, so that no bytes can be loaded", p.Text()[i]),
				Hint: "the program of NewWave may have such instructions"}
		}
	}
	return w.Load(base, p.Code)
}

// Map adds size zero bytes, at most 2 GiB, as a new region of global memory. Regions must not overlap. A guest access
// must lie within one region.
func (w *Wave) Map(addr uint64, size int, rights mem.Rights) error {
	return w.w.MapZeros(addr, size, rights)
}

// MapData adds memory of the host as a new region of global memory: guest and host share the bytes. The host address
// and the guest address of the first byte must be equal modulo mem.Align, as they are for mem.Alloc and guest
// addresses that are multiples of it. After changing code in it, call Flush.
func (w *Wave) MapData(addr uint64, data []byte, rights mem.Rights) error {
	return w.w.Map(addr, data, rights, true)
}

// MapDevice adds a device range, as memory-mapped registers are: for each lane's access, lowest lane first, read
// fills p, or write takes it. offset is from addr. An access must lie within the range; p is all of it, 16 bytes for
// a load of four words. An atomic is a read and a write. Without read, loads and atomics fault, without write stores
// and atomics. No function is called for an instruction that faults. Textures and code cannot be in a device range.
//
// The functions may read and set registers, which are as before the instruction, read and write memory, which the
// lanes after this one find, and stop the run after the instruction. They cannot map memory. OnLoad hooks are called
// after read, with its value, OnStore hooks before write, and both after an atomic.
func (w *Wave) MapDevice(addr, size uint64, read, write func(offset uint64, p []byte)) error {
	return w.w.MapDevice(&eval.Device{Base: addr, Size: size, Read: read, Write: write})
}

// Unmap removes the region, or device range, that begins at an address.
func (w *Wave) Unmap(addr uint64) error { return w.w.Unmap(addr) }

// Protect changes the rights of the region that begins at an address.
func (w *Wave) Protect(addr uint64, rights mem.Rights) error { return w.w.Protect(addr, rights) }

// Regions returns the regions and device ranges of global memory, by address. The program of NewWave is not in a
// region.
func (w *Wave) Regions() []mem.Extent { return w.w.Regions() }

// ReadMemory fills p with the bytes of global memory at an address, regardless of rights. They may span adjacent
// regions, but no device range.
func (w *Wave) ReadMemory(addr uint64, p []byte) error { return w.w.Read(addr, p) }

// WriteMemory writes bytes of global memory, regardless of rights, except to memory of the host without the right to
// write. After an error nothing has changed. Changed code takes effect with the next instruction.
func (w *Wave) WriteMemory(addr uint64, p []byte) error { return w.w.Write(addr, p) }

// Flush discards lifted code, after the host has changed code in memory of MapData.
func (w *Wave) Flush() { w.w.Flush() }
