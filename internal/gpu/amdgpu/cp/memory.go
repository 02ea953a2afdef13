package cp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

func (r *run) read32(va uint64) (uint32, error) {
	var b [4]byte
	err := r.Memory.Read(va, b[:])
	return binary.LittleEndian.Uint32(b[:]), err
}

func (r *run) read64(va uint64) (uint64, error) {
	var b [8]byte
	err := r.Memory.Read(va, b[:])
	return binary.LittleEndian.Uint64(b[:]), err
}

func (r *run) write32(va uint64, v uint32) error {
	return r.Memory.Write(va, binary.LittleEndian.AppendUint32(nil, v))
}

func (r *run) write64(va uint64, v uint64) error {
	return r.Memory.Write(va, binary.LittleEndian.AppendUint64(nil, v))
}

// dwords returns a stream's words as bytes.
func dwords(words []uint32) []byte {
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// Where WRITE_DATA and COPY_DATA read and write; sources have numbers of their own.
const (
	selRegister = 0
	selGRBM     = 1 // memory, for destinations
	selL2       = 2
	selGDS      = 3 // by addresses in bytes (Mesa, si_compute_prim_discard.c)
	selMemory   = 5 // for destinations
	srcMemory   = 1
	srcImm      = 5
	srcTime     = 9
)

// written returns the memory that WRITE_DATA and COPY_DATA write, nil if it is not built.
func (r *run) written(sel uint64) Memory {
	switch sel {
	case selGRBM, selL2, selMemory:
		return r.Memory
	case selGDS:
		return r.GDS
	}
	return nil
}

// writeData writes the words that follow: fields dst_sel, one_addr, addr.
func writeData(r *run, v []uint64) error {
	words := r.packet.Body[3:]
	if v[1] != 0 { // all to one place: the last stays
		words = words[len(words)-1:]
	}
	to := r.written(v[0])
	switch {
	case v[0] == selRegister: // by numbers in dwords
		return r.setRegisters(uint32(v[2])*4, words)
	case to == nil:
		return r.notBuilt("dst_sel", v[0])
	case v[2]&3 != 0:
		return errors.New("the address is not a multiple of 4")
	}
	return to.Write(v[2], dwords(words))
}

// copyData copies one number of 4 bytes, or 8: fields src_sel, dst_sel, wide, src, dst.
func copyData(r *run, v []uint64) error {
	n, err := r.copySource(v[0], v[2] != 0, v[3])
	if err != nil {
		return err
	}
	if v[1] == selRegister {
		if err := r.State.write(uint32(v[4])*4, uint32(n)); err != nil || v[2] == 0 {
			return err
		}
		return r.State.write(uint32(v[4])*4+4, uint32(n>>32))
	}
	to := r.written(v[1])
	if to == nil {
		return r.notBuilt("dst_sel", v[1])
	}
	return to.Write(v[4], binary.LittleEndian.AppendUint64(nil, n)[:numberSize(v[2] != 0)])
}

// numberSize is the size of what COPY_DATA copies.
func numberSize(wide bool) int {
	if wide {
		return 8
	}
	return 4
}

// copySource reads what COPY_DATA copies.
func (r *run) copySource(sel uint64, wide bool, src uint64) (uint64, error) {
	switch sel {
	case selRegister:
		n, err := r.State.read(uint32(src) * 4)
		if err != nil || !wide {
			return uint64(n), err
		}
		high, err := r.State.read(uint32(src)*4 + 4)
		return uint64(n) | uint64(high)<<32, err
	case srcMemory, selL2:
		return readNumber(r.Memory, src, wide)
	case selGDS:
		if r.GDS != nil {
			return readNumber(r.GDS, src, wide)
		}
	case srcImm:
		return src, nil
	case srcTime:
		return r.Device.Now(), nil
	}
	return 0, r.notBuilt("src_sel", sel)
}

// readNumber reads 4 bytes, or 8.
func readNumber(m Memory, at uint64, wide bool) (uint64, error) {
	var b [8]byte
	err := m.Read(at, b[:numberSize(wide)])
	return binary.LittleEndian.Uint64(b[:]), err
}

// Where CP_DMA and DMA_DATA read and write.
const (
	dmaAddr = 0
	dmaGDS  = 1
	dmaImm  = 2 // for sources
	dmaL2   = 3
)

// dmaSpace returns the memory that CP_DMA and DMA_DATA read or write, nil if it is not built.
func (r *run) dmaSpace(sel uint64) Memory {
	switch sel {
	case dmaAddr, dmaL2:
		return r.Memory
	case dmaGDS:
		return r.GDS
	}
	return nil
}

// dmaData copies or fills memory: fields src_sel, src, dst_sel, dst, bytes. With both addresses the same it only brings
// memory into a cache, and with no bytes it only waits.
func dmaData(r *run, v []uint64) error {
	src, dst, bytes := v[1], v[3], v[4]
	to, from := r.dmaSpace(v[2]), r.dmaSpace(v[0])
	switch {
	case to == nil:
		return r.notBuilt("dst_sel", v[2])
	case v[0] == dmaImm:
		return r.fill(to, dst, bytes, uint32(src))
	case from == nil:
		return r.notBuilt("src_sel", v[0])
	case src == dst && (v[2] == dmaGDS) == (v[0] == dmaGDS):
		return nil
	}
	return r.copy(to, dst, from, src, bytes)
}

// piece is how much is copied or filled at once.
const piece = 64 << 10

// copy copies memory, from the lowest address on.
func (r *run) copy(to Memory, dst uint64, from Memory, src, n uint64) error {
	buf := make([]byte, min(n, piece))
	for n > 0 {
		b := buf[:min(n, piece)]
		if err := from.Read(src, b); err != nil {
			return err
		}
		if err := to.Write(dst, b); err != nil {
			return err
		}
		step := uint64(len(b))
		dst, src, n = dst+step, src+step, n-step
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// fill fills memory with a dword.
func (r *run) fill(to Memory, dst, n uint64, v uint32) error {
	if n%4 != 0 {
		return fmt.Errorf("a fill of %d bytes, not a multiple of 4", n)
	}
	buf := make([]byte, min(n, piece))
	for i := 0; i < len(buf); i += 4 {
		binary.LittleEndian.PutUint32(buf[i:], v)
	}
	for n > 0 {
		step := min(n, piece)
		if err := to.Write(dst, buf[:step]); err != nil {
			return err
		}
		dst, n = dst+step, n-step
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// An atomic is an operation of ATOMIC_MEM: the new value of memory, from the old one, the packet's data and what it
// compares with.
type atomic func(old, data, compare uint64, sext func(uint64) int64) uint64

func atomics() map[string]atomic {
	return map[string]atomic{
		"SWAP":    func(_, d, _ uint64, _ func(uint64) int64) uint64 { return d },
		"CMPSWAP": func(o, d, c uint64, _ func(uint64) int64) uint64 { return pick(o == c, d, o) },
		"ADD":     func(o, d, _ uint64, _ func(uint64) int64) uint64 { return o + d },
		"SUB":     func(o, d, _ uint64, _ func(uint64) int64) uint64 { return o - d },
		"SMIN":    func(o, d, _ uint64, s func(uint64) int64) uint64 { return pick(s(d) < s(o), d, o) },
		"UMIN":    func(o, d, _ uint64, _ func(uint64) int64) uint64 { return min(o, d) },
		"SMAX":    func(o, d, _ uint64, s func(uint64) int64) uint64 { return pick(s(d) > s(o), d, o) },
		"UMAX":    func(o, d, _ uint64, _ func(uint64) int64) uint64 { return max(o, d) },
		"AND":     func(o, d, _ uint64, _ func(uint64) int64) uint64 { return o & d },
		"OR":      func(o, d, _ uint64, _ func(uint64) int64) uint64 { return o | d },
		"XOR":     func(o, d, _ uint64, _ func(uint64) int64) uint64 { return o ^ d },
		"INC":     func(o, d, _ uint64, _ func(uint64) int64) uint64 { return pick(o >= d, 0, o+1) },
		"DEC":     func(o, d, _ uint64, _ func(uint64) int64) uint64 { return pick(o == 0 || o > d, d, o-1) },
	}
}

func pick(first bool, a, b uint64) uint64 {
	if first {
		return a
	}
	return b
}

// atomicMem is an atomic operation on memory: fields atomic, command or loop, addr, data, compare. With command 1 a
// CMPSWAP is repeated until it has swapped.
func atomicMem(r *run, v []uint64) error {
	part, _ := r.packet.Def.Part("atomic")
	name := part.Bits.Values.Name(uint32(v[0]))
	if name == "" {
		return fmt.Errorf("atomic operation %#x is reserved", v[0])
	}
	op, bits, _ := strings.Cut(strings.Replace(name, "_RTN", "", 1), "_")
	f, ok := atomics()[op]
	if !ok || bits != "32" && bits != "64" {
		return r.notBuilt("atomic", v[0])
	}
	size, mask := 8, ^uint64(0)
	sext := func(x uint64) int64 { return int64(x) }
	if bits == "32" {
		size, mask = 4, 1<<32-1
		sext = func(x uint64) int64 { return int64(int32(x)) }
	}
	if v[2]%uint64(size) != 0 {
		return errors.New("the address of an atomic operation is not a multiple of its size")
	}
	for {
		old, err := r.swap(v[2], size, func(o uint64) uint64 { return f(o, v[3]&mask, v[4]&mask, sext) & mask })
		if err != nil || v[1] == 0 || op != "CMPSWAP" || old == v[4]&mask {
			return err
		}
		if err := r.pause(); err != nil {
			return err
		}
	}
}

// memSemaphore signals a semaphore or waits for it: fields op, addr, write_one.
func memSemaphore(r *run, v []uint64) error {
	const signal, wait = 6, 7
	if v[0] != signal && v[0] != wait {
		return fmt.Errorf("operation %d is reserved", v[0])
	}
	return r.semaphore(v[0] == signal, v[1], v[2] != 0)
}

// semaphore signals a semaphore, a number of 64 bits: it counts one more, or is 1 with one. Otherwise it waits until
// the number is not 0, and counts one less.
func (r *run) semaphore(signal bool, va uint64, one bool) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		old, err := r.swap(va, 8, func(n uint64) uint64 {
			switch {
			case signal && one:
				return 1
			case signal:
				return n + 1
			}
			return n - min(n, 1)
		})
		if err != nil || signal || old != 0 {
			return err
		}
		if err := r.wait(pause); err != nil {
			return err
		}
	}
}

// swap replaces memory by what f makes of it, and returns what it was.
func (r *run) swap(va uint64, size int, f func(uint64) uint64) (old uint64, err error) {
	for {
		if size == 8 {
			old, err = r.read64(va)
		} else {
			var n uint32
			n, err = r.read32(va)
			old = uint64(n)
		}
		if err != nil {
			return 0, err
		}
		s, atomic := r.Memory.(Swapper)
		if !atomic {
			break
		}
		if done, err := s.CompareAndSwap(va, size, old, f(old)); done || err != nil {
			return old, err
		}
	}
	if size == 8 {
		return old, r.write64(va, f(old))
	}
	return old, r.write32(va, uint32(f(old)))
}
