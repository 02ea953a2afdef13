package cp

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/heddle-gpu/heddle/internal/gpu/amdgpu/pm4"
)

// A Dispatch is a launch of a compute shader. The registers of the State have the rest, COMPUTE_DIM and
// COMPUTE_DISPATCH_INITIATOR among them.
type Dispatch struct {
	Groups    [3]uint32 // groups, or items with USE_THREAD_DIMENSIONS; none is 0
	Initiator uint32    // as COMPUTE_DISPATCH_INITIATOR
	Indirect  uint64    // address that Groups were read from, 0 if the packet has them
	Packet    pm4.Packet
}

// A Draw is a draw of one instance or more. The registers of the State have the rest.
type Draw struct {
	Packet    pm4.Packet
	Initiator uint32 // as VGT_DRAW_INITIATOR
	Count     uint32 // of vertices or indices
	Instances uint32
	Indexed   bool
	IndexType uint32   // as VGT_DMA_INDEX_TYPE
	IndexBase uint64   // address of the first index
	IndexMax  uint32   // number of indices in memory from there on: those after them are 0
	Indices   []uint32 // words with the indices of DRAW_INDEX_IMMD
	Number    uint32   // of the draw in an indirect packet
}

// setBase keeps an address, for draws or with the compute bit for dispatches: fields index, addr.
func setBase(r *run, v []uint64) error {
	const indirect = 1
	if v[0] != indirect {
		return r.notBuilt("index", v[0])
	}
	if r.packet.Compute {
		r.State.ComputeBase = v[1]
	} else {
		r.State.IndirectBase = v[1]
	}
	return nil
}

// indexType keeps the type of indices: field type.
func indexType(r *run, v []uint64) error {
	r.State.IndexType = uint32(v[0])
	return nil
}

// indexBase keeps the address of indices: field addr.
func indexBase(r *run, v []uint64) error {
	r.State.IndexBase = v[0]
	return nil
}

// indexSize keeps the number of indices: field count.
func indexSize(r *run, v []uint64) error {
	r.State.IndexMax = uint32(v[0])
	return nil
}

// numInstances keeps the number of instances: field count.
func numInstances(r *run, v []uint64) error {
	r.State.Instances = uint32(v[0])
	return nil
}

// drawPreamble writes three registers: fields prim, vgt, ls_hs.
func drawPreamble(r *run, v []uint64) error {
	for i, name := range []string{"VGT_PRIMITIVE_TYPE", "IA_MULTI_VGT_PARAM", "VGT_LS_HS_CONFIG"} {
		if err := r.State.write(mustRegister(r.State.Gen, name), uint32(v[i])); err != nil {
			return err
		}
	}
	return nil
}

// Where STRMOUT_BUFFER_UPDATE has offsets from.
const (
	streamPacket = 0
	streamMemory = 2
	streamNone   = 3
)

// streamUpdate stores the offset of a buffer of stream output, and then sets it: fields store_filled, source,
// data_type, buffer, dst, offset. Numbers are bytes with data_type=1, else dwords.
func streamUpdate(r *run, v []uint64) error {
	at := &r.State.StreamOffsets[v[3]]
	unit := uint32(4)
	if v[2] != 0 {
		unit = 1
	}
	if v[0] != 0 {
		if err := r.write32(v[4], *at/unit); err != nil {
			return err
		}
	}
	switch v[1] {
	case streamPacket:
		*at = uint32(v[5]) * unit
	case streamMemory:
		n, err := r.read32(v[5])
		if err != nil {
			return err
		}
		*at = n * unit
	case streamNone:
	default:
		return r.notBuilt("source", v[1])
	}
	return nil
}

// mustRegister returns the address of a register that there is.
func mustRegister(gen int, name string) uint32 {
	reg, ok := pm4.Table(gen).ByName(name)
	if !ok {
		panic(fmt.Sprintf("cp: gfx%d has no %s", gen, name))
	}
	return reg.Addr
}

// indexBytes is the size of indices by the type of them, 0 if it is reserved; gfx8 has bytes.
func (r *run) indexBytes() (uint64, error) {
	switch t := r.State.IndexType & 3; {
	case t == 0:
		return 2, nil
	case t == 1:
		return 4, nil
	case t == 2 && r.State.Gen == 8:
		return 1, nil
	default:
		return 0, fmt.Errorf("gfx%d has no index type %d", r.State.Gen, t)
	}
}

// draw draws, if there is anything to draw.
func (r *run) draw(d Draw) error {
	if d.Count == 0 || d.Instances == 0 {
		return nil
	}
	d.Packet, d.IndexType = r.packet, r.State.IndexType
	return r.Device.Draw(r.ctx, r.State, d)
}

// drawAuto draws vertices by number: fields count, initiator.
func drawAuto(r *run, v []uint64) error {
	return r.draw(Draw{Count: uint32(v[0]), Initiator: uint32(v[1]), Instances: r.State.Instances})
}

// drawIndex2 draws by indices: fields max, addr, count, initiator.
func drawIndex2(r *run, v []uint64) error {
	r.State.IndexMax, r.State.IndexBase = uint32(v[0]), v[1]
	return r.draw(Draw{Count: uint32(v[2]), Initiator: uint32(v[3]), Instances: r.State.Instances, Indexed: true, IndexBase: v[1], IndexMax: uint32(v[0])})
}

// drawOffset2 draws by indices from an offset to the base on: fields max, offset, count, initiator. The maximum is the
// number of indices from the base on.
func drawOffset2(r *run, v []uint64) error {
	r.State.IndexMax = uint32(v[0])
	d, err := r.indexed(Draw{Count: uint32(v[2]), Initiator: uint32(v[3]), Instances: r.State.Instances}, uint32(v[1]))
	if err != nil {
		return err
	}
	return r.draw(d)
}

// indexed makes a draw one by indices from an offset to the base on.
func (r *run) indexed(d Draw, offset uint32) (Draw, error) {
	size, err := r.indexBytes()
	d.Indexed = true
	d.IndexBase = r.State.IndexBase + size*uint64(offset)
	d.IndexMax = r.State.IndexMax - min(offset, r.State.IndexMax)
	return d, err
}

// drawImmediate draws by indices of the packet: fields count, initiator.
func drawImmediate(r *run, v []uint64) error {
	return r.draw(Draw{Count: uint32(v[0]), Initiator: uint32(v[1]), Instances: r.State.Instances, Indexed: true, Indices: r.packet.Body[2:]})
}

// drawIndirect draws with arguments in memory: fields offset, vertex_reg, instance_reg, initiator.
func drawIndirect(r *run, v []uint64) error {
	return r.drawArguments(r.State.IndirectBase+v[0], v[1], v[2], uint32(v[3]), 0)
}

// drawMulti draws several times with arguments in memory: fields offset, vertex_reg, instance_reg, initiator,
// draw_enable, draw_reg, count, count_indirect, count_addr, stride.
func drawMulti(r *run, v []uint64) error {
	count := uint32(v[6])
	if v[7] != 0 {
		n, err := r.read32(v[8])
		if err != nil {
			return err
		}
		count = min(count, n)
	}
	for i := range count {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if v[4] != 0 {
			if err := r.State.write(pm4.ShBase+4*uint32(v[5]), i); err != nil {
				return err
			}
		}
		if err := r.drawArguments(r.State.IndirectBase+v[0]+uint64(i)*v[9], v[1], v[2], uint32(v[3]), i); err != nil {
			return err
		}
	}
	return nil
}

// drawArguments draws with arguments at an address: counts of vertices and instances, first vertex and first instance;
// or counts of indices and instances, first index, base vertex and first instance. The command processor puts the base
// and the first instance into the registers that the packet names.
func (r *run) drawArguments(va, vertexReg, instanceReg uint64, initiator, number uint32) error {
	indexed := r.packet.Name[:len("DRAW_INDEX")] == "DRAW_INDEX"
	var b [20]byte
	args := b[:16]
	if indexed {
		args = b[:]
	}
	if err := r.Memory.Read(va, args); err != nil {
		return err
	}
	arg := func(i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	d := Draw{Count: arg(0), Instances: arg(1), Initiator: initiator, Number: number}
	base, first := arg(2), arg(3)
	if indexed {
		var err error
		if d, err = r.indexed(d, arg(2)); err != nil {
			return err
		}
		base, first = arg(3), arg(4)
	}
	if err := r.State.write(pm4.ShBase+4*uint32(vertexReg), base); err != nil {
		return err
	}
	if err := r.State.write(pm4.ShBase+4*uint32(instanceReg), first); err != nil {
		return err
	}
	r.State.Instances = d.Instances
	return r.draw(d)
}

// dispatchDirect launches: fields x, y, z, initiator.
func dispatchDirect(r *run, v []uint64) error {
	return r.dispatch([3]uint32{uint32(v[0]), uint32(v[1]), uint32(v[2])}, v[3], 0)
}

// dispatchIndirect launches with numbers in memory, at an offset to the base: fields offset, initiator.
func dispatchIndirect(r *run, v []uint64) error {
	return r.dispatchFrom(r.State.ComputeBase+v[0], v[1])
}

// dispatchAt launches with numbers in memory: fields addr, initiator.
func dispatchAt(r *run, v []uint64) error { return r.dispatchFrom(v[0], v[1]) }

func (r *run) dispatchFrom(va, initiator uint64) error {
	var b [12]byte
	if err := r.Memory.Read(va, b[:]); err != nil {
		return err
	}
	u := binary.LittleEndian
	return r.dispatch([3]uint32{u.Uint32(b[:]), u.Uint32(b[4:]), u.Uint32(b[8:])}, initiator, va)
}

// Registers that dispatch packets write: COMPUTE_DISPATCH_INITIATOR and the three of COMPUTE_DIM.
const dispatchRegisters = 0xb800

// dispatch launches, if there are any groups.
func (r *run) dispatch(groups [3]uint32, initiator, from uint64) error {
	const enable = 1
	if initiator&enable == 0 {
		return errors.New("COMPUTE_SHADER_EN of the initiator is 0")
	}
	for i, v := range []uint32{uint32(initiator), groups[0], groups[1], groups[2]} {
		if err := r.State.write(dispatchRegisters+4*uint32(i), v); err != nil {
			return err
		}
	}
	if groups[0] == 0 || groups[1] == 0 || groups[2] == 0 {
		return nil
	}
	return r.Device.Dispatch(r.ctx, r.State, Dispatch{groups, uint32(initiator), from, r.packet})
}
