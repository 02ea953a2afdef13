package eval

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/mem"
)

// errInAccess is the error of changes of memory during an access.
var errInAccess = errors.New("memory cannot change during an access: use a hook of instructions or faults")

// busy reports whether an access is in progress: the caller is a hook of it or a function of a device.
func (w *Wave) busy() bool { return w.inAccess || w.serving }

// global returns the address space that Map and the other functions here work on.
func (w *Wave) global() *mem.Space { return w.env.Space(ir.GlobalSpace, 0) }

// Map adds a region of global memory. With inPlace the guest works on data itself, whose host address must equal addr
// modulo mem.Align.
func (w *Wave) Map(addr uint64, data []byte, rights mem.Rights, inPlace bool) error {
	switch {
	case w.busy():
		return errInAccess
	case rights == 0 || rights&^(mem.ReadWrite|mem.Execute) != 0:
		return fmt.Errorf("memory at %#x: rights %#x; want some of read, write and execute", addr, rights)
	case len(data) == 0:
		return fmt.Errorf("memory at %#x has no bytes", addr)
	case rights&mem.Execute != 0 && addr < uint64(len(w.Program.Code)):
		return fmt.Errorf("code at %#x: the wave's program is at 0x0-%#x", addr, len(w.Program.Code))
	}
	w.mapped++
	g := mem.SegmentOf(fmt.Sprintf("region %d", w.mapped), addr, data, false, inPlace)
	g.Rights = rights
	if err := w.apart(g.Extent()); err != nil {
		return err
	}
	if err := w.global().Add(g); err != nil {
		return err
	}
	if inPlace {
		w.host(g.Name)
	}
	w.remapped()
	return nil
}

// host records that a region is in memory of the host.
func (w *Wave) host(name string) {
	if w.hosts == nil {
		w.hosts = map[string]bool{}
	}
	w.hosts[name] = true
}

// maxZeros limits MapZeros: an allocation that fails ends the process.
const maxZeros = 1 << 31

// MapZeros adds a region of size zero bytes.
func (w *Wave) MapZeros(addr uint64, size int, rights mem.Rights) error {
	if size <= 0 || size > maxZeros {
		return fmt.Errorf("memory at %#x: %d bytes; want 1 to %d, or map memory of the host", addr, size, maxZeros)
	}
	return w.Map(addr, make([]byte, size), rights, false)
}

// region returns the mapped memory that begins at an address.
func (w *Wave) region(addr uint64) (mem.Segment, error) {
	g, ok := w.global().Find(addr)
	switch {
	case w.busy():
		return g, errInAccess
	case w.device(addr) != nil:
		return g, fmt.Errorf("%v is a device: it changes as a whole, and its functions say what it allows", w.device(addr).extent())
	case !ok:
		return g, fmt.Errorf("no memory at %#x", addr)
	case g.Base != addr:
		return g, fmt.Errorf("%v does not begin at %#x: regions change as a whole", g.Extent(), addr)
	}
	return g, nil
}

// Unmap removes the region or device that begins at an address.
func (w *Wave) Unmap(addr uint64) error {
	if d := w.device(addr); d != nil && d.Base == addr && !w.busy() {
		w.unmapDevice(d)
		return nil
	}
	g, err := w.region(addr)
	if err != nil {
		return err
	}
	w.global().Remove(g.Name)
	delete(w.hosts, g.Name)
	w.changed(g.Rights)
	return nil
}

// Protect changes the rights of the region that begins at an address.
func (w *Wave) Protect(addr uint64, rights mem.Rights) error {
	g, err := w.region(addr)
	switch {
	case err != nil:
		return err
	case rights&^(mem.ReadWrite|mem.Execute) != 0:
		return fmt.Errorf("memory at %#x: rights %#x; want some of read, write and execute, or none", addr, rights)
	}
	w.global().Protect(g.Name, rights)
	w.changed(g.Rights | rights)
	return nil
}

// Regions returns the regions of global memory, and devices, sorted by address.
func (w *Wave) Regions() (list []mem.Extent) {
	for _, g := range w.global().Segments() {
		list = append(list, g.Extent())
	}
	for _, d := range w.devices {
		list = append(list, d.extent())
	}
	slices.SortFunc(list, func(a, b mem.Extent) int { return cmp.Compare(a.Base, b.Base) })
	return list
}

// Read copies bytes of global memory, regardless of rights. They may span adjacent regions.
func (w *Wave) Read(addr uint64, p []byte) error {
	return w.pieces(addr, len(p), func(_ mem.Segment, at int, guest []byte) error {
		copy(p[at:], guest)
		return nil
	})
}

// Write changes bytes of global memory, regardless of rights, except for memory of the host that the host may not
// write. On an error nothing has changed.
func (w *Wave) Write(addr uint64, p []byte) error {
	if w.inAccess { // but functions of devices may write: other lanes of the instruction then read it
		return errInAccess
	}
	err := w.pieces(addr, len(p), func(g mem.Segment, _ int, _ []byte) error {
		if w.hosts[g.Name] && g.Rights&mem.Write == 0 {
			return fmt.Errorf("%v is memory of the host that is not for writing", g.Extent())
		}
		return nil
	})
	if err != nil {
		return err
	}
	switch meet := w.decoded.meet(addr, uint64(len(p))); {
	case meet && w.serving:
		w.stale = true
	case meet:
		w.Flush()
	}
	return w.pieces(addr, len(p), func(_ mem.Segment, at int, guest []byte) error {
		copy(guest, p[at:])
		return nil
	})
}

// pieces calls visit for a range of addresses region by region; at is the offset in the range.
func (w *Wave) pieces(addr uint64, n int, visit func(g mem.Segment, at int, guest []byte) error) error {
	for at := 0; at < n; {
		from := addr + uint64(at)
		g, ok := w.global().Find(from)
		if d := w.device(from); d != nil {
			return fmt.Errorf("%v is no memory, but a device", d.extent())
		}
		if !ok || from < addr {
			return fmt.Errorf("no memory at %#x, in %d bytes at %#x", from, n, addr)
		}
		guest := g.Data[from-g.Base:]
		guest = guest[:min(len(guest), n-at)]
		if err := visit(g, at, guest); err != nil {
			return err
		}
		at += len(guest)
	}
	return nil
}

// changed discards lifted code if memory with these rights is executable.
func (w *Wave) changed(rights mem.Rights) {
	if rights&mem.Execute != 0 {
		w.Flush()
	}
	w.remapped()
}

// remapped updates what depends on the list of regions.
func (w *Wave) remapped() {
	w.mutable = false
	for _, g := range w.global().Segments() {
		w.mutable = w.mutable || g.Rights&(mem.Write|mem.Execute) == mem.Write|mem.Execute
	}
	_, err := w.Fetch(uint64(len(w.Program.Code)))
	w.follows = err == nil
}

// Flush discards lifted code.
func (w *Wave) Flush() {
	if w.State.At.Mark != 0 {
		w.State.Goto(w.PC())
	}
	w.code = w.State.NewProgram(w.fetched)
	w.runner, w.watching = nil, nil
	w.decoded = lines{}
}

// decode is Fetch that records the returned bytes as decoded.
func (w *Wave) decode(pc uint64) ([]byte, error) {
	code, err := w.Fetch(pc)
	if err == nil && pc >= uint64(len(w.Program.Code)) {
		w.decoded.add(pc, uint64(min(len(code), w.Program.Longest)))
	}
	return code, err
}

// Fetch returns the code from an address to the end of its region; if that is shorter than the longest instruction and
// more code follows, it returns as much as that instruction has. The error lists the addresses of code.
func (w *Wave) Fetch(pc uint64) ([]byte, error) {
	if own := w.Program.Code; pc < uint64(len(own)) {
		return own[pc:], nil
	}
	g, ok := w.global().Find(pc)
	switch {
	case ok && g.Rights&mem.Execute == 0:
		return nil, fmt.Errorf("%v is not executable%s", g.Extent(), w.Hint)
	case !ok:
		return nil, errElsewhere{w}
	}
	code := g.Data[pc-g.Base:]
	for next := g; len(code) < w.Program.Longest && next.Limit() != 0; {
		if next, ok = w.global().Find(next.Limit()); !ok || next.Rights&mem.Execute == 0 {
			break
		}
		code = append(code[:len(code):len(code)], next.Data[:min(len(next.Data), w.Program.Longest-len(code))]...)
	}
	return code, nil
}

// Bundle returns the instruction, or the group that issues together, at an address, or the reason why there is none.
func (w *Wave) Bundle(pc uint64) (*isa.Bundle, error) {
	b, err := w.fetched.BundleAt(pc)
	return b, settled(err)
}

// An errElsewhere is the error for an address without code. Its text says where there is code when it is asked for:
// most blocks end at such an address, where nothing asks.
type errElsewhere struct{ w *Wave }

func (e errElsewhere) Error() string { return e.w.where() + e.w.Hint }

// settled returns an error whose text no longer changes.
func settled(err error) error {
	if e, ok := err.(errElsewhere); ok {
		return errors.New(e.Error())
	}
	return err
}

// where lists the addresses of code.
func (w *Wave) where() string {
	var list []string
	if n := len(w.Program.Code); n > 0 {
		list = append(list, fmt.Sprintf("0x0-%#x", n))
	}
	for _, g := range w.global().Segments() {
		if g.Rights&mem.Execute != 0 {
			list = append(list, fmt.Sprintf("%#x-%#x", g.Base, g.Limit()))
		}
	}
	switch n := len(list); {
	case n == 0:
		return "the wave has no code"
	case n > 4:
		list = append(list[:4], fmt.Sprintf("%d other places", n-4))
	}
	return "the code is at " + strings.Join(list, ", ")
}

// newCode creates the wave's program; code is fetched when blocks are lifted.
func (w *Wave) newCode() error {
	p := w.Program
	w.fetched = &isa.Fetched{Target: p.Target, Fetch: w.decode}
	for i := range p.Bundles {
		if p.Bundles[i].Private() {
			l, err := isa.NewListing(p.Target, p.Bundles)
			if err != nil {
				return err
			}
			w.fetched.Listing = l
			break
		}
	}
	w.code = w.State.NewProgram(w.fetched)
	return nil
}
