package loc

// An Arg is an argument of a kernel in memory.
type Arg struct {
	Name    string // "" if the metadata has none
	Type    string // as in the source; "" if unknown
	Segment string // of global memory
	Offset  uint64 // bytes from the segment's start
	Size    uint64 // bytes
	Address bool   // it is an address in global memory
}

// A Swizzle is private memory of lanes that is interleaved in a segment of global memory: Element bytes of the first
// lane, of the second, and so on, then the next bytes of the first.
type Swizzle struct {
	Segment  string
	Element  uint64 // contiguous bytes of a lane
	Lanes    uint64
	Aperture uint64 // the upper 32 bits of flat addresses of private memory
}

// Addr returns the offset in the segment of a byte of a lane's private memory, and the number of contiguous bytes
// from it on.
func (s *Swizzle) Addr(lane int, addr uint64) (off, run uint64) {
	in := addr % s.Element
	return (addr/s.Element*s.Lanes+uint64(lane))*s.Element + in, s.Element - in
}
