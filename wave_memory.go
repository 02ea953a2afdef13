package heddle

import (
	"fmt"

	"github.com/heddle-gpu/heddle/internal/eval"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// Load puts machine code at an address of global memory, as a region of its own that the program may read and run but not change. The bytes are copied.
// Code is loaded as often as there are pieces.
func (w *Wave) Load(addr uint64, code []byte) error {
	return w.w.Map(addr, code, mem.Read|mem.Execute, false)
}

// LoadText assembles a program, as NewWave reads it, at an address, and loads it. A .base directive wins over addr. The error is Errors if the text is
// wrong. Instructions without public encoding cannot be loaded, since there are no bytes for them.
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
			return &isa.Error{Code: isa.ErrEncoding, Msg: fmt.Sprintf("%s has no public encoding, so that no bytes can be loaded", p.Text[i]),
				Hint: "the program of NewWave may have such instructions"}
		}
	}
	return w.Load(base, p.Code)
}

// Map adds size bytes of zeros to global memory, as a region with these rights. Regions do not overlap, and an access lies in one of them.
func (w *Wave) Map(addr uint64, size int, rights mem.Rights) error {
	if size <= 0 {
		return fmt.Errorf("memory at %#x: %d bytes", addr, size)
	}
	return w.w.Map(addr, make([]byte, size), rights, false)
}

// MapData adds memory of the host to global memory: program and host see the same bytes. The addresses of the first byte in the host and in the
// program must be equal modulo mem.Align, as they are for what mem.Alloc makes and addresses that are multiples of it. Who changes code in it
// calls Flush.
func (w *Wave) MapData(addr uint64, data []byte, rights mem.Rights) error {
	return w.w.Map(addr, data, rights, true)
}

// Unmap takes the region away that begins at an address.
func (w *Wave) Unmap(addr uint64) error { return w.w.Unmap(addr) }

// Protect changes the rights of the region that begins at an address.
func (w *Wave) Protect(addr uint64, rights mem.Rights) error { return w.w.Protect(addr, rights) }

// Regions are those of global memory, by address. The program of NewWave lies in none.
func (w *Wave) Regions() []mem.Extent { return w.w.Regions() }

// ReadMemory fills p with the bytes of global memory at an address, whatever the rights there. They may lie in regions that follow each other.
func (w *Wave) ReadMemory(addr uint64, p []byte) error { return w.w.Read(addr, p) }

// WriteMemory changes the bytes of global memory at an address, whatever the rights there, but for memory of the host that the program must not write.
// Nothing changes beside an error. Code that changes is run as it is then.
func (w *Wave) WriteMemory(addr uint64, p []byte) error { return w.w.Write(addr, p) }

// Flush lets the wave fetch its code anew, since the host has changed it in memory of its own.
func (w *Wave) Flush() { w.w.Flush() }
