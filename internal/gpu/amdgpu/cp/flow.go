package cp

import (
	"fmt"
	"slices"
	"time"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// indirectBuffer calls a buffer or chains to it: fields addr, size, chain.
func indirectBuffer(r *run, v []uint64) error {
	return r.call(buffer{v[0], uint32(v[1])}, v[2] != 0)
}

// condExec skips dwords if the one at an address is 0: fields addr, count.
func condExec(r *run, v []uint64) error {
	on, err := r.read32(v[0])
	if err == nil && on == 0 {
		r.skip = v[1]
	}
	return err
}

// predExec skips dwords if they are for other devices of a linked set: fields devices, count.
func predExec(r *run, v []uint64) error {
	if v[0]&1 == 0 {
		r.skip = v[1]
	}
	return nil
}

// Operations of SET_PREDICATION.
const (
	predClear  = 0
	predPasses = 1
	predBool64 = 3
	predBool32 = 4 // of gfx9; Mesa uses it on the compute ring of gfx6
)

// setPredication sets the predicate from memory: fields addr, visible, op, continue. Packets with the predicate bit are
// executed if the number there is not 0, or with visible=0 if it is.
func setPredication(r *run, v []uint64) error {
	on, err := false, error(nil)
	switch v[2] {
	case predClear:
		r.State.predicate, r.State.passed = true, false
		return nil
	case predPasses:
		if r.RenderBackends == 0 {
			return r.notBuilt("op", v[2])
		}
		on, err = r.passes(v[0])
		if v[3] != 0 { // goes on from the packet before
			on = on || r.State.passed
		}
		r.State.passed = on
	case predBool64:
		var n uint64
		n, err = r.read64(v[0])
		on = n != 0
	case predBool32:
		var n uint32
		n, err = r.read32(v[0])
		on = n != 0
	default:
		return r.notBuilt("op", v[2])
	}
	if v[2] != predPasses && v[3] != 0 {
		return r.notBuilt("continue", v[3])
	}
	if err == nil {
		r.State.predicate = on == (v[1] != 0)
	}
	return err
}

// passes reports whether an occlusion query counted anything: each render backend has two counters at an address,
// before and after, of 63 bits.
func (r *run) passes(va uint64) (bool, error) {
	for i := range uint64(r.RenderBackends) {
		before, err := r.read64(va + 16*i)
		if err != nil {
			return false, err
		}
		after, err := r.read64(va + 16*i + 8)
		if err != nil {
			return false, err
		}
		if (after-before)<<1 != 0 {
			return true, nil
		}
	}
	return false, nil
}

// rewind waits until the packet is marked as valid: fields valid.
func rewind(r *run, v []uint64) error {
	if v[0] == 0 {
		return r.notBuilt("valid", 0)
	}
	return nil
}

// notBuilt says that a value of a field of the packet is not built.
func (r *run) notBuilt(field string, v uint64) error {
	text := fmt.Sprintf("%#x", v)
	if r.packet.Def != nil {
		if p, ok := r.packet.Def.Part(field); ok && p.Bits.Values.Name(uint32(v)) != "" {
			text = p.Bits.Values.Name(uint32(v))
		}
	}
	return &NotBuilt{fmt.Sprintf("%s with %s=%s", r.packet.Name, field, text)}
}

// holds reports whether a comparison of WAIT_REG_MEM holds.
func holds(function uint64, a, b uint64) (bool, error) {
	switch function {
	case 0:
		return true, nil
	case 1:
		return a < b, nil
	case 2:
		return a <= b, nil
	case 3:
		return a == b, nil
	case 4:
		return a != b, nil
	case 5:
		return a >= b, nil
	case 6:
		return a > b, nil
	}
	return false, fmt.Errorf("function %d is reserved", function)
}

// fetchFrom reads a dword of memory, or with space 0 the register that is numbered by the address.
func (r *run) fetchFrom(space, addr uint64) (uint32, error) {
	switch space {
	case 0:
		return r.State.read(uint32(addr) * 4)
	case 1:
		return r.read32(addr &^ 3)
	}
	return 0, r.notBuilt("space", space)
}

// waitRegMem waits until a register or memory compares as asked: fields function, space, addr, reference, mask.
func waitRegMem(r *run, v []uint64) error {
	return r.await(v[0], v[1], v[2], v[3], v[4])
}

// pause waits a moment for others to change memory.
func (r *run) pause() error { return r.wait(firstPause) }

func (r *run) wait(d time.Duration) error {
	select {
	case <-r.ctx.Done():
		return r.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Times between looks at memory that is waited for.
const (
	firstPause = 10 * time.Microsecond
	lastPause  = time.Millisecond
)

// await waits for memory or a register. A register changes by this stream only: to wait for another value is an error.
func (r *run) await(function, space, addr, reference, mask uint64) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		n, err := r.fetchFrom(space, addr)
		if err != nil {
			return err
		}
		ok, err := holds(function, uint64(n)&mask, reference)
		if ok || err != nil {
			return err
		}
		if space == 0 {
			return fmt.Errorf("it waits for ever: the register is %#x", n)
		}
		if err := r.wait(pause); err != nil {
			return err
		}
	}
}

// condWrite writes if a comparison holds: fields function, space, addr, reference, mask, write_space, write, data.
func condWrite(r *run, v []uint64) error {
	n, err := r.fetchFrom(v[1], v[2])
	if err != nil {
		return err
	}
	ok, err := holds(v[0], uint64(n)&v[4], v[3])
	if !ok || err != nil {
		return err
	}
	if v[5] == 0 {
		return r.State.write(uint32(v[6])*4, uint32(v[7]))
	}
	return r.write32(v[6], uint32(v[7]))
}

// Events that need nothing here: packets are executed one after the other, and memory is coherent.
func doneEvents() []string {
	return []string{
		"CS_PARTIAL_FLUSH", "PS_PARTIAL_FLUSH", "VS_PARTIAL_FLUSH", "VGT_FLUSH", "VGT_STREAMOUT_SYNC", "BREAK_BATCH",
		"CACHE_FLUSH", "CACHE_FLUSH_AND_INV_EVENT", "DB_CACHE_FLUSH_AND_INV", "FLUSH_AND_INV_DB_META", "FLUSH_AND_INV_CB_META",
		"FLUSH_AND_INV_CB_PIXEL_DATA", "FLUSH_HS_OUTPUT", "FLUSH_LS_OUTPUT", "FLUSH_ES_OUTPUT", "FLUSH_GS_OUTPUT", "SQ_NON_EVENT",
		// Which counters run matters when they are read, which is not built.
		"PIPELINESTAT_START", "PIPELINESTAT_STOP", "PERFCOUNTER_START", "PERFCOUNTER_STOP", "PIXEL_PIPE_STAT_CONTROL",
	}
}

// Events at the end of work, which EVENT_WRITE_EOP and RELEASE_MEM wait for.
func endEvents() []string {
	return []string{
		"CACHE_FLUSH_TS", "CACHE_FLUSH_AND_INV_TS_EVENT", "BOTTOM_OF_PIPE_TS", "FLUSH_AND_INV_DB_DATA_TS", "FLUSH_AND_INV_CB_DATA_TS",
		"FLUSH_SX_TS", "CS_DONE", "PS_DONE",
	}
}

// Events that write counters.
func sampleEvents() []string {
	return []string{
		"ZPASS_DONE", "SAMPLE_PIPELINESTAT", "SAMPLE_STREAMOUTSTATS", "SAMPLE_STREAMOUTSTATS1", "SAMPLE_STREAMOUTSTATS2", "SAMPLE_STREAMOUTSTATS3",
		"PIXEL_PIPE_STAT_DUMP",
	}
}

// event checks that an event is one of a list.
func (r *run) event(n uint64, list []string) error {
	name := pm4.Event(r.State.Gen, uint32(n))
	if slices.Contains(list, name) {
		return nil
	}
	if name == "" {
		return fmt.Errorf("gfx%d has no event %d", r.State.Gen, n)
	}
	return &NotBuilt{fmt.Sprintf("event %s by %s", name, r.packet.Name)}
}

// streamoutFlush is the event after which CP_STRMOUT_CNTL says that offsets are up to date.
const streamoutFlush = 31

// eventWrite is an event: fields type, and of the long form addr.
func eventWrite(r *run, v []uint64) error {
	if v[0] == streamoutFlush {
		addr := uint32(0x300fc)
		if r.State.Gen == 6 {
			addr = 0x84fc
		}
		return r.State.write(addr, 1) // OFFSET_UPDATE_DONE
	}
	name := pm4.Event(r.State.Gen, uint32(v[0]))
	if s, ok := r.Device.(Sampler); ok && len(v) > 1 && slices.Contains(sampleEvents(), name) {
		return s.Sample(r.ctx, r.State, name, v[1])
	}
	return r.event(v[0], doneEvents())
}

// What events at the end of work write.
const (
	endDiscard = iota
	endValue32
	endValue64
	endTime
	endShare = 5
)

// eventEnd is an event at the end of all earlier work: fields type, addr, data_sel, data.
func eventEnd(r *run, v []uint64) error {
	if err := r.event(v[0], endEvents()); err != nil {
		return err
	}
	switch v[2] {
	case endDiscard:
		return nil
	case endValue32:
		return r.write32(v[1], uint32(v[3]))
	case endValue64:
		return r.write64(v[1], v[3])
	case endTime:
		return r.write64(v[1], r.Device.Now())
	case endShare:
		return r.storeShare(v)
	}
	return r.notBuilt("data_sel", v[2])
}

// storeShare stores a part of the global data share: the number of its first dword, and how many (Mesa, EOP_DATA_GDS).
func (r *run) storeShare(v []uint64) error {
	if r.GDS == nil {
		return r.notBuilt("data_sel", v[2])
	}
	return r.copy(r.Memory, v[1], r.GDS, 4*(v[3]&0xffff), 4*(v[3]>>16&0xffff))
}

// eventShader is an event at the end of shaders: fields type, addr, data_sel, data.
func eventShader(r *run, v []uint64) error {
	if err := r.event(v[0], endEvents()); err != nil {
		return err
	}
	const share, value32 = 1, 2
	switch v[2] {
	case value32:
		return r.write32(v[1], uint32(v[3]))
	case share:
		return r.storeShare(v)
	}
	return r.notBuilt("data_sel", v[2])
}
