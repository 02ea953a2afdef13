package kernels

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/object"
)

// A CUDA is a kernel of a CUDA file as a user sees it. Sizes are in bytes; those that the file does not have are 0.
type CUDA struct {
	Name      string      `json:"name"`
	Size      int         `json:"size"` // of the code
	Registers int         `json:"registers"`
	Shared    uint64      `json:"shared"` // per block
	Local     uint64      `json:"local"`  // per thread
	Params    []CUDAParam `json:"params"`
	Unknown   bool        `json:"params_unknown,omitempty"` // the file has no records of parameters
	Command   string      `json:"command"`
}

// A CUDAParam is a parameter of such a kernel.
type CUDAParam struct {
	Ordinal int `json:"ordinal"`
	Offset  int `json:"offset"`
	Size    int `json:"size"`
}

// DescribeCUDA describes the kernels of a CUDA file; run is the start of command lines.
func DescribeCUDA(o *object.Cubin, run string) []CUDA {
	list := []CUDA{}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		d := CUDA{k.Name, len(k.Code), k.Registers, k.Shared, k.Local, []CUDAParam{}, len(k.Params) == 0, ""}
		for _, p := range k.Params {
			d.Params = append(d.Params, CUDAParam(p))
		}
		words := []string{run}
		if len(o.Kernels) > 1 {
			words = append(words, "--kernel "+Word(k.Name))
		}
		words = append(words, fmt.Sprintf("--grid %d --block %d", items, items))
		d.Command = strings.Join(append(words, cudaArgs(k.Params, o.Wide)...), " ")
		list = append(list, d)
	}
	return list
}

// cudaArgs returns arguments for parameters at the offsets in the file. A file has their sizes, but not which of them
// are pointers: those of pointer size get a buffer, those of integer size the size of the grid, the rest zeros.
func cudaArgs(params []object.CubinParam, wide bool) (words []string) {
	pointer := 4
	if wide {
		pointer = 8
	}
	at := 0
	pad := func(n int) {
		if n > 0 {
			words = append(words, "--arg hex:"+strings.Repeat("00", n))
			at += n
		}
	}
	for _, p := range params {
		pad(p.Offset - at)
		switch aligned := p.Offset == at && at%4 == 0; {
		case aligned && p.Size == pointer:
			words = append(words, fmt.Sprintf("--arg param%d=zero:%d", p.Ordinal, bufferBytes))
			at += 4
			pad(pointer - 4) // addresses have 32 bits
		case aligned && p.Size == 4:
			words = append(words, fmt.Sprintf("--arg u32:%d", items))
			at += 4
		default:
			pad(p.Offset + p.Size - at)
		}
	}
	return words
}
