package mem

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// Load reads a window of 1, 2, 4 or 8 bytes as a little-endian number.
func Load(w []byte) uint64 {
	switch len(w) {
	case 1:
		return uint64(w[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(w))
	case 4:
		return uint64(binary.LittleEndian.Uint32(w))
	case 8:
		return binary.LittleEndian.Uint64(w)
	}
	panic(fmt.Sprintf("mem: load of a %d-byte window", len(w)))
}

// Store writes the low bits of v to a window of 1, 2, 4 or 8 bytes, little-endian.
func Store(w []byte, v uint64) {
	switch len(w) {
	case 1:
		w[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(w, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(w, uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(w, v)
	default:
		panic(fmt.Sprintf("mem: store to a %d-byte window", len(w)))
	}
}

// Atomic replaces the number in a window of 4 or 8 bytes by op.Apply of it, atomically for all goroutines that use
// Atomic or AtomicFunc, and returns the old number. The window comes from AtAligned with its own size as the
// alignment.
//
// An atomic load is Atomic(w, Or, 0, 0); an atomic store is Atomic(w, Swap, v, 0).
func Atomic(w []byte, op AtomicOp, data, cmp uint64) (old uint64) {
	apply := atomicOps[op].apply
	if len(w) == 4 {
		p := (*uint32)(hostWord(w))
		for {
			was := atomic.LoadUint32(p)
			v := uint64(guest32(was))
			if atomic.CompareAndSwapUint32(p, was, guest32(uint32(apply(32, v, data&(1<<32-1), cmp&(1<<32-1))))) {
				return v
			}
		}
	}
	p := (*uint64)(hostWord(w))
	for {
		was := atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, was, guest64(apply(64, guest64(was), data, cmp))) {
			return guest64(was)
		}
	}
}

// AtomicFunc is Atomic with the caller's own operation, for float atomics whose rounding, denormal or NaN rules
// differ from those of AtomicOp. f may be called several times.
func AtomicFunc(w []byte, f func(old uint64) uint64) (old uint64) {
	if len(w) == 4 {
		p := (*uint32)(hostWord(w))
		for {
			was := atomic.LoadUint32(p)
			v := uint64(guest32(was))
			if atomic.CompareAndSwapUint32(p, was, guest32(uint32(f(v)))) {
				return v
			}
		}
	}
	p := (*uint64)(hostWord(w))
	for {
		was := atomic.LoadUint64(p)
		if atomic.CompareAndSwapUint64(p, was, guest64(f(guest64(was)))) {
			return guest64(was)
		}
	}
}

// hostWord is the address of a window, for sync/atomic. A window that AtAligned returned is always aligned, because
// Add keeps guest and host alignment equal.
func hostWord(w []byte) unsafe.Pointer {
	if len(w) != 4 && len(w) != 8 {
		panic(fmt.Sprintf("mem: atomic on a %d-byte window", len(w)))
	}
	p := unsafe.Pointer(&w[0])
	if uintptr(p)%uintptr(len(w)) != 0 {
		panic(fmt.Sprintf("mem: atomic on a misaligned %d-byte window", len(w)))
	}
	return p
}

// hostLittle reports whether the host has the guest's byte order.
var hostLittle = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// guest32 converts a host word to the guest's number, and back.
func guest32(v uint32) uint32 {
	if hostLittle {
		return v
	}
	return bits.ReverseBytes32(v)
}

// guest64 is guest32 for 8-byte words.
func guest64(v uint64) uint64 {
	if hostLittle {
		return v
	}
	return bits.ReverseBytes64(v)
}
