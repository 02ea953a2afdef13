package gcn

import (
	"strconv"

	"github.com/heddle-gpu/heddle/isa"
)

// Names of data and number formats of buffers, by code. docs/reference/gcn.md 10; LLVM's spelling.
var (
	dataFormats = [16]string{"INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10",
		"8_8_8_8", "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"}
	numFormats = numberNames{"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"}
	// numFormatsOGL are those of gfx6 and gfx7.
	numFormatsOGL = numberNames{"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT"}
)

// numberNames are the number formats of a generation.
type numberNames [numNumbers]string

const (
	dataPrefix = "BUF_DATA_FORMAT_"
	numPrefix  = "BUF_NUM_FORMAT_"
)

// bufFormat is the format of MTBUF: the data format in four bits, the number format in three above. Data format 8 and
// number format UNORM are omitted; if both are, there is no text at all.
//
//	format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]   format:116   dfmt:4, nfmt:7
func (k *kinds) bufFormat(ogl bool) *isa.Kind {
	if ogl {
		return k.once("format ogl", numFormatsOGL.kind)
	}
	return k.once("format", numFormats.kind)
}

func (names *numberNames) kind() *isa.Kind {
	return &isa.Kind{Name: "format", Table: texts(128, names.format), Parse: names.parse, Samples: []uint64{1, 0, 0x74, 0x7f, 0x4e, 0x11, 0x64}}
}

func (names *numberNames) format(dst []byte, v int) []byte {
	data, num := v&15, v>>4
	if data == 1 && num == 0 {
		return dst
	}
	dst = append(dst, " format:["...)
	if data != 1 {
		dst = append(append(dst, dataPrefix...), dataFormats[data]...)
	}
	if data != 1 && num != 0 {
		dst = append(dst, ',')
	}
	if num != 0 {
		dst = append(append(dst, numPrefix...), names[num]...)
	}
	return append(dst, ']')
}

func (names *numberNames) parse(s *isa.Scan, _ *isa.Inst, _ *isa.Arg) (uint64, bool) {
	if s.Scratch[formatRead] != 0 { // before the offset
		return 0, false
	}
	switch {
	case acceptMod(s, "format:["):
		return names.list(s)
	case acceptMod(s, "format:"):
		return upTo(s, 127)
	case acceptMod(s, "dfmt:"):
		d, ok := upTo(s, 15)
		if !ok || !another(s, "nfmt:") {
			return d, ok
		}
		n, ok := upTo(s, 7)
		return d | n<<4, ok
	case acceptMod(s, "nfmt:"):
		n, ok := upTo(s, 7)
		if !ok || !another(s, "dfmt:") {
			return 1 | n<<4, ok
		}
		d, ok := upTo(s, 15)
		return d | n<<4, ok
	}
	return 0, false
}

// another moves over the word and what precedes it: a comma, blanks. If the word is absent Pos is not moved.
func another(s *isa.Scan, w string) bool {
	at := s.Pos
	s.Space()
	s.Byte(',')
	s.Space()
	if acceptMod(s, w) {
		return true
	}
	s.Pos = at
	return false
}

// formatRead is the element of Scan.Scratch that says that the format has been read.
const formatRead = 0

// formatFirst is the offset of MTBUF, which the format may precede: dfmt:4, nfmt:7, s1.
func (k *kinds) formatFirst(offset *isa.Kind, ogl bool) *isa.Kind {
	format := k.bufFormat(ogl)
	return k.once("format first "+strconv.Itoa(k.codes.sgprs)+strconv.FormatBool(ogl), func() *isa.Kind {
		made := *offset
		made.Parse = func(s *isa.Scan, in *isa.Inst, a *isa.Arg) (uint64, bool) {
			at := s.Pos
			v, ok := format.Parse(s, in, a)
			if !ok {
				if s.Pos > at {
					return 0, false
				}
				return offset.Parse(s, in, a)
			}
			in.Put(nameFormat, v)
			s.Scratch[formatRead] = 1
			s.Space()
			s.Byte(',')
			s.Space()
			return offset.Parse(s, in, a)
		}
		return &made
	})
}

// list reads one or two names and the closing bracket.
func (names *numberNames) list(s *isa.Scan) (uint64, bool) {
	data, num := -1, -1
	for {
		s.Space()
		at := s.Pos
		switch {
		case data < 0 && acceptMod(s, dataPrefix):
			data = formatName(s, dataFormats[:])
		case num < 0 && acceptMod(s, numPrefix):
			num = formatName(s, names[:])
		default:
			return 0, s.Expect("a data or number format")
		}
		if data == noFormat || num == noFormat {
			s.Pos = at
			return 0, s.Expect("a data or number format")
		}
		s.Space()
		if s.Byte(']') {
			break
		}
		if !s.Byte(',') {
			return 0, s.Expect(`"," or "]"`)
		}
	}
	if data < 0 {
		data = 1
	}
	return uint64(data) | uint64(max(num, 0))<<4, true
}

const noFormat = -2

func formatName(s *isa.Scan, names []string) int {
	for i, n := range names {
		if s.Accept(n) {
			return i
		}
	}
	return noFormat
}

// dataCells is the kind of the n registers of vdata that an atomic writes. It has no text and no bits of its own.
func (k *kinds) dataCells(n int) *isa.Kind {
	return k.once("result "+strconv.Itoa(n), func() *isa.Kind {
		return &isa.Kind{Name: "the result", Cells: func(dst []isa.Span, in *isa.Inst, _ *isa.Arg, _ uint64) []isa.Span {
			return append(dst, isa.Span{Cell: VGPR(int(in.Get(nameVdata))), N: n})
		}}
	})
}
