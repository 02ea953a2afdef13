package object

import (
	"bytes"
	"debug/elf"
	"encoding/binary"

	"github.com/heddle-gpu/heddle/internal/spell"
)

const packedHeaderSize = 24 // type, reserved, size, alignment

// unpacked returns the bytes of a compressed section, as clang -gz makes them for debug information: with zlib or zstd.
// The total of all of them is bounded.
func (f *elfFile) unpacked(i int, what string, data []byte) ([]byte, error) {
	s := &f.sects[i]
	if len(data) < packedHeaderSize {
		return nil, failAt("header", s.at, "%s (section %d) is compressed: %s, want a header of %d", what, i, spell.Count(len(data), "byte"), packedHeaderSize)
	}
	size := binary.LittleEndian.Uint64(data[8:])
	if size > maxImage-f.unpackedBytes {
		return nil, failAt("limit", s.at, "%s (section %d): compressed sections grow to more than %#x bytes", what, i, uint64(maxImage))
	}
	if f.unpackedBytes += size; f.std == nil {
		var err error
		if f.std, err = elf.NewFile(bytes.NewReader(f.data)); err != nil {
			return nil, failAt("header", s.at, "%s (section %d) is compressed: %v", what, i, err)
		}
	}
	if i >= len(f.std.Sections) {
		return nil, failAt("header", s.at, "%s: there is no section %d", what, i)
	}
	out, err := f.std.Sections[i].Data()
	if err != nil || uint64(len(out)) != size {
		return nil, failAt("header", s.at, "%s (section %d) is compressed, and cannot be read: %d of %s: %v", what, i, len(out), spell.Count(size, "byte"), err)
	}
	return out, nil
}

// packedAlign returns the alignment of a compressed section after decompression.
func packedAlign(raw []byte) uint64 { return binary.LittleEndian.Uint64(raw[16:]) }
