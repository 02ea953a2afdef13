package object

import "encoding/binary"

// DescriptorSize is the length of a kernel descriptor in bytes.
const DescriptorSize = 64

// A Descriptor is a kernel descriptor, which a dispatcher reads to start a kernel. Methods return the bit fields.
// Source: docs/reference/gcn.md 9.1.
type Descriptor struct {
	Raw          [DescriptorSize]byte
	GroupSize    uint32 // group_segment_fixed_size: bytes of LDS, without dynamic LDS
	PrivateSize  uint32 // private_segment_fixed_size: bytes of scratch per lane
	KernargSize  uint32 // bytes; compilers before LLVM 12 wrote 0
	EntryOffset  int64  // of the first instruction, from the descriptor's own address
	Rsrc1, Rsrc2 uint32 // COMPUTE_PGM_RSRC1, 2
	Rsrc3        uint32 // 0 before gfx90a
	Properties   uint16 // which user SGPRs are set up
	Preload      uint16 // kernarg preload; 0 before gfx90a
	GroupCounts  uint8  // bits 0 to 2: an SGPR holds the number of workgroups of the grid in x, y, z; only in code objects of versions 1 and 2
	Ordered      bool   // ds_ordered_count takes the waves in their order: enable_ordered_append_gds of versions 1 and 2
}

func decodeDescriptor(b []byte) Descriptor {
	le := binary.LittleEndian
	return Descriptor{
		Raw:       [DescriptorSize]byte(b),
		GroupSize: le.Uint32(b), PrivateSize: le.Uint32(b[4:]), KernargSize: le.Uint32(b[8:]),
		EntryOffset: int64(le.Uint64(b[16:])),
		Rsrc3:       le.Uint32(b[44:]), Rsrc1: le.Uint32(b[48:]), Rsrc2: le.Uint32(b[52:]),
		Properties: le.Uint16(b[56:]), Preload: le.Uint16(b[58:]),
	}
}

// bytes returns the descriptor as it is in memory.
func (d *Descriptor) bytes() (b [DescriptorSize]byte) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], d.GroupSize)
	le.PutUint32(b[4:], d.PrivateSize)
	le.PutUint32(b[8:], d.KernargSize)
	le.PutUint64(b[16:], uint64(d.EntryOffset))
	le.PutUint32(b[44:], d.Rsrc3)
	le.PutUint32(b[48:], d.Rsrc1)
	le.PutUint32(b[52:], d.Rsrc2)
	le.PutUint16(b[56:], d.Properties)
	le.PutUint16(b[58:], d.Preload)
	return b
}

// span returns bits lo to hi of w.
func span(w uint32, lo, hi uint) int { return int(w >> lo & (1<<(hi-lo+1) - 1)) }

// VGPRs is the number of vector registers allocated per lane, a multiple of 4.
func (d *Descriptor) VGPRs() int { return (span(d.Rsrc1, 0, 5) + 1) * 4 }

// SGPRs is the number of scalar registers allocated per wave, a multiple of 8, including VCC, flat_scratch and
// xnack_mask.
func (d *Descriptor) SGPRs() int { return (span(d.Rsrc1, 6, 9) + 1) * 8 }

// Priority is the initial wave priority, 0 to 3.
func (d *Descriptor) Priority() int { return span(d.Rsrc1, 10, 11) }

// RoundF32 is the rounding mode of f32: 0 to nearest even, 1 up, 2 down, 3 toward zero.
func (d *Descriptor) RoundF32() int { return span(d.Rsrc1, 12, 13) }

// RoundF64 is RoundF32 for f64 and f16.
func (d *Descriptor) RoundF64() int { return span(d.Rsrc1, 14, 15) }

// DenormF32 has bit 0 set if inputs keep denormals, bit 1 if results do.
func (d *Descriptor) DenormF32() int { return span(d.Rsrc1, 16, 17) }

// DenormF64 is DenormF32 for f64 and f16.
func (d *Descriptor) DenormF64() int { return span(d.Rsrc1, 18, 19) }

// FloatMode is the four fields above in the order of bits 7:0 of MODE.
func (d *Descriptor) FloatMode() int { return span(d.Rsrc1, 12, 19) }

// Priv requests privileged mode; 0 in user code.
func (d *Descriptor) Priv() bool { return d.Rsrc1>>20&1 != 0 }

// DX10Clamp is the MODE bit by which clamp turns NaN into 0.
func (d *Descriptor) DX10Clamp() bool { return d.Rsrc1>>21&1 != 0 }

// Debug starts the wave in single-step debug mode.
func (d *Descriptor) Debug() bool { return d.Rsrc1>>22&1 != 0 }

// IEEE is the MODE bit by which min, max and clamp quiet signalling NaN.
func (d *Descriptor) IEEE() bool { return d.Rsrc1>>23&1 != 0 }

// ScratchOffset reports whether an SGPR after the group ids holds the wave's scratch offset.
func (d *Descriptor) ScratchOffset() bool { return d.Rsrc2&1 != 0 }

// UserSGPRs is how many SGPRs the dispatcher fills before the group ids, 0 to 31.
func (d *Descriptor) UserSGPRs() int { return span(d.Rsrc2, 1, 5) }

// TrapHandler requests a trap handler.
func (d *Descriptor) TrapHandler() bool { return d.Rsrc2>>6&1 != 0 }

// GroupID reports whether an SGPR holds the group id in dimension dim: 0 x, 1 y, 2 z.
func (d *Descriptor) GroupID(dim int) bool { return d.Rsrc2>>(7+uint(dim))&1 != 0 }

// GroupInfo reports whether an SGPR after the group ids holds the group info word.
func (d *Descriptor) GroupInfo() bool { return d.Rsrc2>>10&1 != 0 }

// ItemIDs is how many of v0, v1, v2 hold a work-item id: 1 to 3, 4 for the reserved code.
func (d *Descriptor) ItemIDs() int { return span(d.Rsrc2, 11, 12) + 1 }

// LDSBlocks is the LDS size field; 0 here, because the dispatcher fills it in.
func (d *Descriptor) LDSBlocks() int { return span(d.Rsrc2, 15, 23) }

// Exceptions has one bit for each exception that traps: invalid, denormal input, divide by zero, overflow, underflow,
// inexact, integer divide by zero.
func (d *Descriptor) Exceptions() int { return span(d.Rsrc2, 24, 30) }

func (d *Descriptor) property(bit uint) bool { return d.Properties>>bit&1 != 0 }

// The user SGPRs, in the order in which they are laid out from s0. Each is present or not.

// PrivateSegmentBuffer is the scratch V#, 4 SGPRs.
func (d *Descriptor) PrivateSegmentBuffer() bool { return d.property(0) }

// DispatchPtr is the address of the dispatch packet, 2 SGPRs.
func (d *Descriptor) DispatchPtr() bool { return d.property(1) }

// QueuePtr is the address of the queue, 2 SGPRs.
func (d *Descriptor) QueuePtr() bool { return d.property(2) }

// KernargPtr is the address of the kernarg segment, 2 SGPRs.
func (d *Descriptor) KernargPtr() bool { return d.property(3) }

// DispatchID is 2 SGPRs.
func (d *Descriptor) DispatchID() bool { return d.property(4) }

// FlatScratchInit is the scratch offset and the bytes per lane, 2 SGPRs.
func (d *Descriptor) FlatScratchInit() bool { return d.property(5) }

// PrivateSegmentSize is the bytes of scratch per lane, 1 SGPR.
func (d *Descriptor) PrivateSegmentSize() bool { return d.property(6) }

// GroupCount reports whether an SGPR, after those of the properties, holds the number of groups in dimension dim.
func (d *Descriptor) GroupCount(dim int) bool { return d.GroupCounts>>uint(dim)&1 != 0 }

// Wave32 is reserved before gfx10.
func (d *Descriptor) Wave32() bool { return d.property(10) }

// DynamicStack reports whether PrivateSize is only a lower bound because of calls.
func (d *Descriptor) DynamicStack() bool { return d.property(11) }
