package main

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/internal/contents"
	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
)

// A clArg is an argument of a kernel.
type clArg struct {
	kind          argKind
	data          []byte // of a buffer or an image; of a number one value for each launch
	typ           string // of a number
	size          int    // bytes of one number, or of local memory
	width, height int    // of an image
}

type argKind uint8

const (
	isBuffer argKind = iota
	isNumber
	isLocal
	isImage
	isSampler
)

// argument parses an argument:
//
//	CONTENTS              a buffer, as of heddle run --arg
//	made:NAME             a buffer with the contents of made
//	TYPE:V                a number
//	each:TYPE:CONTENTS    a number that is another in each launch: there are as many launches as numbers
//	local:BYTES           local memory
//	image:WxH:CONTENTS    an image of four bytes a texel, from 0 to 1 each
//	sampler:              one that repeats the image and interpolates between texels; coordinates are from 0 to 1
func argument(text string) (a clArg, err error) {
	head, rest, _ := strings.Cut(text, ":")
	switch head {
	case "made":
		f := made[rest]
		if f == nil {
			return a, fmt.Errorf("%s: nothing makes that", text)
		}
		return clArg{data: f()}, nil
	case "local":
		a.kind = isLocal
		a.size, err = strconv.Atoi(rest)
		return a, err
	case "sampler":
		return clArg{kind: isSampler}, nil
	case "image":
		size, what, _ := strings.Cut(rest, ":")
		a, err = argument(what)
		a.kind = isImage
		if _, err := fmt.Sscanf(size, "%dx%d", &a.width, &a.height); err != nil || 4*a.width*a.height != len(a.data) {
			return a, fmt.Errorf("%s: %d bytes", text, len(a.data))
		}
		return a, err
	case "each":
		text = rest
		a.kind = isNumber
	}
	source, err := contents.Parse(text)
	if err != nil {
		return a, err
	}
	a.data = make([]byte, source.Size())
	source.Fill(a.data)
	if a.kind == isNumber || !contents.Is(text) {
		a.kind, a.typ, a.size = isNumber, source.Type.String(), source.Type.Size()
	}
	return a, nil
}

// value returns the bits of a number in a launch.
func (a *clArg) value(launch int) uint64 {
	at := launch * a.size % len(a.data)
	var b [8]byte
	copy(b[:], a.data[at:][:a.size])
	return binary.LittleEndian.Uint64(b[:])
}

// onGPU returns an argument of the first launch, in memory that is new, and what holds its data.
func (a *clArg) onGPU(m *gcn.Memory, name string) (gcn.Arg, *gcn.Buffer, error) {
	switch a.kind {
	case isNumber:
		arg, err := gcn.Number(a.typ, a.value(0))
		return arg, nil, err
	case isLocal:
		return gcn.Local(uint32(a.size)), nil, nil
	case isSampler:
		b, err := filled(m, name, littleEndian([4]uint32{2: 1<<20 | 1<<22}))
		return gcn.Buf(b), nil, err
	}
	b, err := filled(m, name, a.data)
	if err != nil || a.kind == isBuffer {
		return gcn.Buf(b), b, err
	}
	w, h := uint32(a.width), uint32(a.height)
	const formatRGBA8, wxyz, linear, plane = 10 << 20, 7<<9 | 6<<6 | 5<<3 | 4, 8 << 20, 9 << 28
	d, err := filled(m, name+".T#", littleEndian([8]uint32{uint32(b.Addr >> 8), uint32(b.Addr>>40) | formatRGBA8, w - 1 | (h-1)<<14, wxyz | linear | plane, (w - 1) << 13}))
	return gcn.Buf(d), b, err
}

// filled returns a new buffer with that data.
func filled(m *gcn.Memory, name string, data []byte) (*gcn.Buffer, error) {
	b, err := m.Alloc(name, len(data))
	if err == nil {
		copy(b.Data, data)
	}
	return b, err
}

func littleEndian(words any) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, words)
	if err != nil {
		panic(err)
	}
	return data
}

// natively returns the argument of native.c; a buffer or an image is in a file.
func (a *clArg) natively(file string) string {
	switch a.kind {
	case isNumber:
		var list []string
		for i := range len(a.data) / a.size {
			list = append(list, strconv.FormatUint(a.value(i), 16))
		}
		return fmt.Sprintf("number:%d:%s", a.size, strings.Join(list, ","))
	case isLocal:
		return fmt.Sprintf("local:%d", a.size)
	case isSampler:
		return "sampler:"
	case isImage:
		return fmt.Sprintf("image:%d:%d:%s", a.width, a.height, file)
	}
	return "buffer:" + file
}
