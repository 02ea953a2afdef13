package hsa

import (
	"fmt"

	"github.com/heddle-gpu/heddle/isa/gcn"
)

// BufferResource is the buffer descriptor (V#) of size bytes at an address of global memory, four words as an SGPR quad or a descriptor in
// memory has them: linear, elements of 32 bits, without swizzle. stride is in bytes; 0 is a raw buffer, whose limit is in bytes. With a
// stride gfx8 counts its limit in bytes, too, and gfx6 and gfx7 in strides. The error is of an address beyond 48 bits, or a size or stride that no
// field holds.
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
