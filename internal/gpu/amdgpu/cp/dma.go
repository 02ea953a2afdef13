package cp

import (
	"bytes"
)

// dmaTrap interrupts the host: field context. Of submissions the host signals completion by itself.
func dmaTrap(r *run, v []uint64) error {
	if i, ok := r.Device.(Interrupter); ok {
		i.Interrupt(uint32(v[0]))
	}
	return nil
}

// dmaFence writes a dword when earlier packets are done: fields addr, data.
func dmaFence(r *run, v []uint64) error { return r.write32(v[0], uint32(v[1])) }

// dmaCopy copies memory: fields src, dst, and the size: bytes, or a count of dwords or bytes.
func dmaCopy(r *run, v []uint64) error {
	n := v[2]
	if len(v) > 3 {
		n += 4 * v[3]
	}
	return r.copy(r.Memory, v[1], r.Memory, v[0], n)
}

// dmaWrite writes the words that follow: field dst.
func dmaWrite(r *run, v []uint64) error {
	part, _ := r.packet.Def.Part("data")
	return r.Memory.Write(v[0], dwords(r.packet.Body[part.Word:]))
}

// dmaFill fills memory: fields dst, data, bytes or a count of dwords, unit.
func dmaFill(r *run, v []uint64) error {
	const unitByte, unitDword = 0, 2
	switch {
	case r.State.Gen == 6:
		return r.fill(r.Memory, v[0], 4*v[3], uint32(v[1]))
	case v[4] == unitDword:
		return r.fill(r.Memory, v[0], v[2], uint32(v[1]))
	case v[4] == unitByte:
		return r.fillBytes(v[0], v[2], byte(v[1]))
	}
	return r.notBuilt("unit", v[4])
}

// fillBytes fills memory with a byte.
func (r *run) fillBytes(dst, n uint64, v byte) error {
	buf := bytes.Repeat([]byte{v}, int(min(n, piece)))
	for n > 0 {
		step := min(n, piece)
		if err := r.Memory.Write(dst, buf[:step]); err != nil {
			return err
		}
		dst, n = dst+step, n-step
	}
	return nil
}

// dmaIndirect calls a buffer: fields addr, size.
func dmaIndirect(r *run, v []uint64) error { return r.call(buffer{v[0], uint32(v[1])}, false) }

// dmaTimestamp writes the clock: field addr.
func dmaTimestamp(r *run, v []uint64) error { return r.write64(v[0], r.Device.Now()) }

// dmaSemaphore signals a semaphore or waits for it: fields signal, addr, write_one.
func dmaSemaphore(r *run, v []uint64) error { return r.semaphore(v[0] != 0, v[1], v[2] != 0) }

// dmaPoll waits until a register or memory compares as asked: fields function, space, addr, reference, mask.
func dmaPoll(r *run, v []uint64) error { return r.await(v[0], v[1], v[2], v[3], v[4]) }

// dmaCondExec skips dwords unless the one at an address is the reference: fields addr, reference, count.
func dmaCondExec(r *run, v []uint64) error {
	n, err := r.read32(v[0])
	if err == nil && uint64(n) != v[1] {
		r.skip = v[2]
	}
	return err
}
