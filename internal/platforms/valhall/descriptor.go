package valhall

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/heddle-gpu/heddle/isa/valhall"
	"github.com/heddle-gpu/heddle/mem"
)

// Descriptors in memory. docs/reference/valhall.md 9.2.

// Types of descriptors.
const (
	typeSampler   = 1
	typeTexture   = 2
	typeAttribute = 5
	typeDepth     = 7
	typeShader    = 8
	typeBuffer    = valhall.TypeBuffer
	typePlane     = 10
)

var typeNames = [16]string{typeSampler: "sampler", typeTexture: "texture", typeAttribute: "attribute", typeDepth: "depth and stencil",
	typeShader: "shader program", typeBuffer: "buffer", typePlane: "plane"}

// A descriptor is a number of words of memory.
type descriptor []uint32

// readWords reads n words at an address.
func readWords(s *mem.Space, what string, addr uint64, n int) (descriptor, error) {
	var c mem.Cursor
	b, f := s.At(&c, addr, uint64(4*n), mem.Read)
	if f != nil {
		return nil, fmt.Errorf("valhall: %s at %#x: %w", what, addr, f)
	}
	d := make(descriptor, n)
	for i := range d {
		d[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return d, nil
}

// readDescriptor reads a descriptor and checks its type.
func readDescriptor(s *mem.Space, kind uint32, addr uint64) (descriptor, error) {
	d, err := readWords(s, typeNames[kind]+" descriptor", addr, valhall.DescriptorBytes/4)
	if err == nil && d.field(0, 0, 4) != kind {
		err = fmt.Errorf("valhall: %s descriptor at %#x has type %d, want %d", typeNames[kind], addr, d.field(0, 0, 4), kind)
	}
	return d, err
}

// field returns n bits of word w, from bit at up.
func (d descriptor) field(w, at, n int) uint32 { return uint32(uint64(d[w]) >> at & (1<<n - 1)) }

func (d descriptor) bit(w, at int) bool { return d[w]>>at&1 != 0 }

// pair returns words w and w+1 as one value.
func (d descriptor) pair(w int) uint64 { return uint64(d[w]) | uint64(d[w+1])<<32 }

func (d descriptor) float(w int) float32 { return math.Float32frombits(d[w]) }

const packetAddress = 1 << 44 // address of the records of vertices, in this launch

// lookup reads the descriptor that a handle selects in the tables at the pointer.
func lookup(s *mem.Space, pointer uint64, handle, kind uint32) (descriptor, error) {
	number, index := uint64(handle>>valhall.HandleTable), uint64(handle&valhall.HandleIndex)
	if n := pointer & valhall.TableCount; number >= n {
		return nil, fmt.Errorf("valhall: %s %d of table %d: there are %d tables", typeNames[kind], index, number, n)
	}
	e, err := readWords(s, "table of resources", pointer&^valhall.TableCount+number*valhall.TableEntry, valhall.TableEntry/4)
	if err != nil {
		return nil, err
	}
	if n := e.pair(2) / valhall.DescriptorBytes; index >= n {
		return nil, fmt.Errorf("valhall: %s %d of table %d, which has %d descriptors", typeNames[kind], index, number, n)
	}
	d, err := readDescriptor(s, kind, e.pair(0)&valhall.TableAddress+index*valhall.DescriptorBytes)
	if err != nil {
		return nil, fmt.Errorf("descriptor %d of table %d: %w", index, number, err)
	}
	return d, nil
}
