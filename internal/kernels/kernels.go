// Package kernels describes what a user needs to run the kernels of a code object: signatures, the registers and memory
// that they use, and an example command line.
package kernels

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/internal/platforms/gcn"
	"github.com/heddle-gpu/heddle/object"
)

// A Kernel is a kernel as a user sees it. Sizes are in bytes.
type Kernel struct {
	Name      string     `json:"name"`
	Signature string     `json:"signature"`
	Args      []Arg      `json:"args"` // in its source
	VGPRs     uint32     `json:"vgprs"`
	SGPRs     uint32     `json:"sgprs"`
	LDS       uint32     `json:"lds"`     // per workgroup, without local arguments
	Scratch   uint32     `json:"scratch"` // per lane
	Kernarg   uint32     `json:"kernarg"` // for all arguments
	Required  *[3]uint32 `json:"required_workgroup_size,omitempty"`
	Most      uint32     `json:"max_workgroup_size,omitempty"`
	Command   string     `json:"command,omitempty"` // "": a command line cannot pass one of the arguments
	Lacks     string     `json:"lacks,omitempty"`   // why there is no Command
	Unnamed   bool       `json:"unnamed,omitempty"` // the file has no names of arguments: see object.Kernel.Unnamed
}

// An Arg is an argument of a kernel.
type Arg struct {
	Name   string `json:"name"`
	Type   string `json:"type,omitempty"`
	Space  string `json:"address_space,omitempty"`
	Kind   string `json:"kind"`
	Offset uint32 `json:"offset"`
	Size   uint32 `json:"size"`
}

// Describe describes the kernels of a code object; run is the start of command lines, such as heddle run dot.cl.
func Describe(o *object.CodeObject, run string) []Kernel {
	list := []Kernel{}
	for i := range o.Kernels {
		list = append(list, describe(&o.Kernels[i], run, len(o.Kernels) > 1))
	}
	return list
}

func describe(k *object.Kernel, run string, several bool) Kernel {
	d := Kernel{Name: k.Name, Signature: k.Signature(), Args: []Arg{}, LDS: k.Descriptor.GroupSize, Scratch: k.Descriptor.PrivateSize, Kernarg: k.Descriptor.KernargSize,
		Unnamed: k.Unnamed()}
	for i, a := range k.Arguments() {
		name := a.Name
		if name == "" {
			name = fmt.Sprintf("arg%d", i)
		}
		d.Args = append(d.Args, Arg{name, a.TypeName, a.AddressSpace, a.ValueKind, a.Offset, a.Size})
	}
	if m := k.Meta; m != nil {
		d.VGPRs, d.SGPRs, d.Most = m.VGPRs, m.SGPRs, m.MaxFlatGroup
		d.Kernarg = max(d.Kernarg, m.KernargSize)
		if m.ReqdGroup != [3]uint32{} {
			d.Required = &m.ReqdGroup
		}
	}
	d.Command, d.Lacks = Command(k, run, several)
	return d
}

// Defaults of the example command line if the kernel does not determine them: a wave of items, and room in buffers for
// what a kernel may index with more axes.
const (
	items       = 64
	bufferBytes = 64 << 10
	localBytes  = 4 << 10
)

// Command returns a command line that runs a kernel on a grid of one workgroup, with zeros in its buffers, 1 for floats
// and the size of the grid for integers. lacks is the reason why there is none.
func Command(k *object.Kernel, run string, several bool) (line, lacks string) {
	words := []string{run}
	if several {
		words = append(words, "--kernel "+Word(k.Name))
	}
	block := [3]uint32{items, 1, 1}
	if k.Meta != nil && k.Meta.ReqdGroup != [3]uint32{} {
		block = k.Meta.ReqdGroup
	} else if k.Meta != nil && k.Meta.MaxFlatGroup != 0 {
		block[0] = min(block[0], k.Meta.MaxFlatGroup)
	}
	size := axes(block)
	words = append(words, "--grid "+size, "--block "+size)
	if k.Meta == nil {
		return "", "the file has no metadata that say what its arguments are; --kernarg gives them as bytes"
	}
	args := k.Arguments()
	for i := range args {
		value, ok := argument(&args[i], block[0])
		if !ok {
			return "", fmt.Sprintf("argument %d is of kind %s, which heddle run cannot pass yet", i, args[i].ValueKind)
		}
		if name := args[i].Name; name != "" {
			value = name + "=" + value
		}
		words = append(words, "--arg "+Word(value))
	}
	return strings.Join(words, " "), ""
}

func axes(n [3]uint32) string {
	switch {
	case n[2] > 1:
		return fmt.Sprintf("%d,%d,%d", n[0], n[1], n[2])
	case n[1] > 1:
		return fmt.Sprintf("%d,%d", n[0], n[1])
	}
	return fmt.Sprint(n[0])
}

// argument returns a value for an argument.
func argument(a *object.Arg, n uint32) (string, bool) {
	switch a.ValueKind {
	case "global_buffer":
		return fmt.Sprintf("zero:%d", bufferBytes), true
	case "dynamic_shared_pointer":
		return fmt.Sprintf("local:%d", localBytes), true
	case "by_value":
		types := gcn.NumberTypes(a)
		switch {
		case types == nil:
			return "hex:" + strings.Repeat("00", int(a.Size)), a.Size <= 1<<10
		case slices.Contains([]string{"f16", "f32", "f64"}, types[0]):
			return types[0] + ":1", true
		}
		return fmt.Sprintf("%s:%d", types[0], n), true
	}
	return "", false
}

// Word quotes a word for a shell if needed.
func Word(s string) string {
	for _, r := range s {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-+=:.,/@%", r)) {
			return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return s
}

// Run returns the start of a command line for a file, with the flags that were used to make it.
func Run(file string, flags []string) string {
	words := []string{"heddle run", Word(file)}
	for _, f := range flags {
		words = append(words, Word(f))
	}
	return strings.Join(words, " ")
}
