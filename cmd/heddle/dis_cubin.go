package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/spell"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/object"
)

// cubinTarget returns the target of a CUDA file's code: the variant of its architecture, for compute programs.
func cubinTarget(c *object.Cubin, file, name string) (*isa.Target, error) {
	own, err := find("tesla:"+c.Variant(), "cp", "")
	if err != nil || name == "" || name == guessed || strings.EqualFold(name, own.Name) {
		return own, err
	}
	t, err := find(name, "", "")
	switch {
	case err != nil:
		return nil, err
	case t.Name != own.Name:
		return nil, contradiction(file, fmt.Sprintf("sm_%d (%s:%s)", c.SM, own.Name, c.Variant()), t)
	}
	return find(name, "cp", "") // one architecture number stands for several variants
}

// readCubin is object.ReadCubin with the name of the file in errors.
func readCubin(data []byte, file string) (*object.Cubin, error) {
	c, err := object.ReadCubin(data)
	var e *object.Error
	if errors.As(err, &e) {
		e.File = file
	}
	return c, err
}

// cubin lists the kernels of a CUDA file, each from address 0 on.
func (c *disCmd) cubin(a *app, data []byte) error {
	o, err := readCubin(data, c.File)
	if err != nil {
		return err
	}
	t, err := cubinTarget(o, c.File, c.ISA)
	if err == nil {
		t, err = c.printed(t)
	}
	if err != nil {
		return err
	}
	if c.Descriptor {
		return c.describeCubin(a, o, t)
	}
	kernels, err := c.cubinKernels(o)
	if err != nil {
		return err
	}
	if len(kernels) > 1 && (c.CFG != "" || a.given("start") || a.given("stop")) {
		return hinted{fmt.Errorf("%s: there are %d kernels, each from address 0 on; one is listed so", c.File, len(kernels)), "--symbol " + kernels[0].Name + " chooses one"}
	}
	for i := range kernels {
		k := kernels[i]
		p := &disassembly{body: i > 0, Code: &disasm.Code{Target: t, Pieces: []disasm.Piece{{Code: k.Code}}, Symbols: []asm.Symbol{{Name: k.Name}},
			Functions: []disasm.Function{{Name: k.Name, To: uint64(len(k.Code)), Kernel: true}}}, a: a}
		head := func() {
			if i == 0 {
				a.say("%s %s: CUDA, sm_%d; listed as %s, compute\n", t.Comments[0], c.File, o.SM, t)
			}
			a.say("%s kernel %s, %d bytes%s\n", t.Comments[0], k.Name, len(k.Code), cubinFacts(k))
		}
		h := jsonHead{ISA: t.String()}
		if len(kernels) > 1 {
			h.Kernel, p.labels = k.Name, fmt.Sprintf("L%d_", i)
		}
		if err := c.show(p, h, head); err != nil {
			return err
		}
	}
	return nil
}

// cubinKernels returns the requested kernels.
func (c *disCmd) cubinKernels(o *object.Cubin) (list []*object.CubinKernel, err error) {
	if len(c.Symbol) == 0 {
		if _, err := o.Kernel(""); len(o.Kernels) == 0 {
			return nil, fmt.Errorf("%s: %w", c.File, err)
		}
		for i := range o.Kernels {
			list = append(list, &o.Kernels[i])
		}
		return list, nil
	}
	for _, name := range c.Symbol {
		k, err := o.Kernel(name)
		if err != nil {
			return nil, fmt.Errorf("--symbol: %s: %w", c.File, err)
		}
		list = append(list, k)
	}
	c.Symbol = nil // the listing has one function
	return list, nil
}

// cubinFacts summarises what the file says about a kernel.
func cubinFacts(k *object.CubinKernel) string {
	var s []string
	say := func(n int, what, of string) {
		if n > 0 {
			s = append(s, spell.Count(n, what)+of)
		}
	}
	say(int(k.Registers), "register", "")
	say(int(k.Shared), "byte", " of shared memory")
	say(int(k.Local), "byte", " of local memory per thread")
	say(len(k.Params), "parameter", "")
	for _, b := range k.Constants {
		s = append(s, fmt.Sprintf("c%d[] of %s", b.Bank, spell.Count(len(b.Data), "byte")))
	}
	for _, r := range k.Relocs {
		s = append(s, fmt.Sprintf("relocation %v not applied", r))
	}
	if len(s) == 0 {
		return ""
	}
	return ": " + strings.Join(s, ", ")
}

// A jsonCubin is the output of dis --descriptor --json for a CUDA file.
type jsonCubin struct {
	ISA       string                `json:"isa"`
	SM        int                   `json:"sm"`
	Kernels   []jsonCubinKernel     `json:"kernels"`
	Constants []jsonBank            `json:"constants"` // of all kernels
	Sections  []object.CubinSection `json:"sections"`
	Symbols   []object.CubinSymbol  `json:"symbols"`
}

type jsonCubinKernel struct {
	Name      string              `json:"name"`
	Size      int                 `json:"size"` // bytes of code
	Registers int                 `json:"registers,omitempty"`
	Shared    uint64              `json:"shared,omitempty"`
	Local     uint64              `json:"local,omitempty"`
	Params    []object.CubinParam `json:"params,omitempty"`
	Constants []jsonBank          `json:"constants,omitempty"`
	Relocs    []object.CubinReloc `json:"relocations,omitempty"` // those that are not applied
}

type jsonBank struct {
	Bank int    `json:"bank"`
	Hex  string `json:"hex"`
}

func jsonBanks(list []object.CubinConstant) []jsonBank {
	banks := []jsonBank{}
	for _, b := range list {
		banks = append(banks, jsonBank{b.Bank, fmt.Sprintf("%x", b.Data)})
	}
	return banks
}

// describeCubin prints the description of a CUDA file.
func (c *disCmd) describeCubin(a *app, o *object.Cubin, t *isa.Target) error {
	j := jsonCubin{ISA: t.String(), SM: o.SM, Constants: jsonBanks(o.Constants), Sections: o.Sections, Symbols: o.Symbols}
	for i := range o.Kernels {
		k := &o.Kernels[i]
		j.Kernels = append(j.Kernels, jsonCubinKernel{k.Name, len(k.Code), k.Registers, k.Shared, k.Local, k.Params, jsonBanks(k.Constants), k.Relocs})
	}
	if c.JSON {
		return a.json(j)
	}
	a.say("%s: CUDA, sm_%d; listed as %s, compute\n", c.File, o.SM, t)
	for i := range o.Kernels {
		k := &o.Kernels[i]
		a.say("\nkernel %s, %d bytes%s\n", k.Name, len(k.Code), cubinFacts(k))
		if len(k.Params) > 0 {
			a.table("parameters", "number\toffset\tbytes", len(k.Params), func(i int) string {
				return fmt.Sprintf("%d\t%#x\t%d", k.Params[i].Ordinal, k.Params[i].Offset, k.Params[i].Size)
			})
		}
		for _, b := range k.Constants {
			a.bank(b)
		}
	}
	for _, b := range o.Constants {
		a.bank(b)
	}
	a.table("sections", "name\ttype\tflags\tbytes", len(o.Sections), func(i int) string {
		s := &o.Sections[i]
		return fmt.Sprintf("%s\t%s\t%s\t%d", shown(s.Name), s.Type, s.Flags, s.Size)
	})
	a.table("symbols", "name\tsection\taddr\tbytes", len(o.Symbols), func(i int) string {
		y := &o.Symbols[i]
		return fmt.Sprintf("%s\t%s\t%#x\t%d", shown(y.Name), shown(y.Section), y.Addr, y.Size)
	})
	return nil
}

// bank prints the words of a constant bank.
func (a *app) bank(b object.CubinConstant) {
	a.printf("\nc%d[], %s\n", b.Bank, spell.Count(len(b.Data), "byte"))
	for at := 0; at < len(b.Data); at += 32 {
		a.printf("  %#06x", at)
		for i := at; i < min(at+32, len(b.Data)); i += 4 {
			a.printf(" %x", b.Data[i:min(i+4, len(b.Data))])
		}
		a.printf("\n")
	}
}
