package emul

import "unsafe"

// The memory is that of the process. The race detector and the checker of pointers do not see accesses of guest code.

// at is the memory at an address.
//
//go:nocheckptr
func at(addr uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

//go:norace
//go:nocheckptr
func read8(addr uint64) uint8 { return *(*uint8)(at(addr)) }

//go:norace
//go:nocheckptr
func read16(addr uint64) uint16 { return *(*uint16)(at(addr)) }

//go:norace
//go:nocheckptr
func read32(addr uint64) uint32 { return *(*uint32)(at(addr)) }

//go:norace
//go:nocheckptr
func read64(addr uint64) uint64 { return *(*uint64)(at(addr)) }

//go:norace
//go:nocheckptr
func write8(addr uint64, v uint8) { *(*uint8)(at(addr)) = v }

//go:norace
//go:nocheckptr
func write16(addr uint64, v uint16) { *(*uint16)(at(addr)) = v }

//go:norace
//go:nocheckptr
func write32(addr uint64, v uint32) { *(*uint32)(at(addr)) = v }

//go:norace
//go:nocheckptr
func write64(addr uint64, v uint64) { *(*uint64)(at(addr)) = v }

// read reads a number of 1, 2, 4 or 8 bytes.
func read(addr uint64, bytes int) uint64 {
	switch bytes {
	case 8:
		return read64(addr)
	case 4:
		return uint64(read32(addr))
	case 2:
		return uint64(read16(addr))
	}
	return uint64(read8(addr))
}

// write stores a number of 1, 2, 4 or 8 bytes.
func write(addr uint64, bytes int, v uint64) {
	switch bytes {
	case 8:
		write64(addr, v)
	case 4:
		write32(addr, uint32(v))
	case 2:
		write16(addr, uint16(v))
	default:
		write8(addr, uint8(v))
	}
}

// readVec fills the low bytes of a vector.
//
//go:norace
//go:nocheckptr
func readVec(v *vec, addr uint64, bytes int) {
	switch bytes {
	case 64:
		*v = *(*vec)(at(addr))
	case 32:
		*(*[4]uint64)(v[:]) = *(*[4]uint64)(at(addr))
	case 16:
		*(*[2]uint64)(v[:]) = *(*[2]uint64)(at(addr))
	default:
		v[0] = read(addr, bytes)
	}
}

// writeVec stores the low bytes of a vector.
//
//go:norace
//go:nocheckptr
func writeVec(v *vec, addr uint64, bytes int) {
	switch bytes {
	case 64:
		*(*vec)(at(addr)) = *v
	case 32:
		*(*[4]uint64)(at(addr)) = *(*[4]uint64)(v[:])
	case 16:
		*(*[2]uint64)(at(addr)) = *(*[2]uint64)(v[:])
	default:
		write(addr, bytes, v[0])
	}
}

// bytesAt are bytes of code.
//
//go:nocheckptr
func bytesAt(addr uintptr, n int) []byte {
	return unsafe.Slice((*byte)(at(uint64(addr))), n)
}

// A lane is the type of an element.
type lane interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64
}

// of are the first n elements of a vector.
func of[T lane](v *vec, n int) []T { return unsafe.Slice((*T)(unsafe.Pointer(v)), n) }

// sizeof returns the bytes of an element.
func sizeof[T lane]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// get is element i of the size.
func (v *vec) get(i, bytes int) uint64 {
	switch bytes {
	case 8:
		return v[i]
	case 4:
		return uint64(of[uint32](v, 16)[i])
	case 2:
		return uint64(of[uint16](v, 32)[i])
	}
	return uint64(of[uint8](v, 64)[i])
}

// set sets element i of that size.
func (v *vec) set(i, bytes int, x uint64) {
	switch bytes {
	case 8:
		v[i] = x
	case 4:
		of[uint32](v, 16)[i] = uint32(x)
	case 2:
		of[uint16](v, 32)[i] = uint16(x)
	default:
		of[uint8](v, 64)[i] = uint8(x)
	}
}
