package gcn

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// BufferResource returns the buffer descriptor (V#) of size bytes at an address of global memory, as the four words of
// an SGPR quad or of a descriptor in memory: linear, elements of 32 bits, without swizzle. stride is in bytes; 0 is a
// raw buffer, whose limit is in bytes. With a stride the limit is in bytes on gfx8, too, but in strides on gfx6 and
// gfx7. It is an error if the address exceeds 48 bits, or if the size or stride does not fit in its field.
//
// Source: docs/reference/gcn.md 8.1.
func BufferResource(variant int, addr, size uint64, stride uint32) (words [4]uint32, err error) {
	const (
		selects   = 4 | 5<<3 | 6<<6 | 7<<9
		numFormat = 4 << 12 // uint
		format    = 4 << 15 // 32 bits
	)
	limit := size
	if stride > 0 && !gcn.LimitInBytes(variant) {
		limit = size / uint64(stride)
	}
	switch {
	case addr>>48 != 0:
		return words, fmt.Errorf("gcn: a buffer descriptor has 48 bits of address, not %#x", addr)
	case limit>>32 != 0:
		return words, fmt.Errorf("gcn: a buffer descriptor has 32 bits of limit, not %#x", limit)
	case stride>>14 != 0:
		return words, fmt.Errorf("gcn: a buffer descriptor has 14 bits of stride, not %d", stride)
	}
	return [4]uint32{uint32(addr), uint32(addr>>32) | stride<<16, uint32(limit), selects | numFormat | format}, nil
}
