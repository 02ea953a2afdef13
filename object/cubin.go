package object

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Cubin is a CUDA ELF file for a chip of the Tesla family, sm_10 to sm_13. Each kernel has its own code section,
// whose addresses begin at 0, and its own constant banks.
//
// Sources: e_machine 190, and e_flags with the architecture in its low byte (in bits 15:8 from ABI version 8 on), from
// LLVM's ELF.h; names of sections, the register count in bits 31:24 of sh_info of a code section, and the records of
// .nv.info (a byte of format, a byte of kind, two bytes of size or value) from the output of cuobjdump and nvdisasm.
type Cubin struct {
	SM        int  // 10 for sm_10
	Wide      bool // pointers have 64 bits
	Kernels   []CubinKernel
	Constants []CubinConstant // of all kernels
	Relocs    []CubinReloc    // of these; they are not applied
	Sections  []CubinSection
	Symbols   []CubinSymbol
	held      uint64 // bytes of sections that have been read
}

// A CubinKernel is a kernel, or a function that kernels call.
type CubinKernel struct {
	Name      string
	Code      []byte // from address 0 up
	Registers int    // 32-bit registers of a thread; 0: the file does not say
	Shared    uint64 // bytes of shared memory of a block, parameters included
	Local     uint64 // bytes of local memory of a thread; 0 if there is none
	Constants []CubinConstant
	Params    []CubinParam
	Relocs    []CubinReloc // of the code and of its constant banks; they are not applied
}

// A CubinConstant is the initial contents of a constant bank.
type CubinConstant struct {
	Bank int
	Data []byte
}

// A CubinParam is a parameter of a kernel, from .nv.info.
type CubinParam struct {
	Ordinal, Offset, Size int // Offset in bytes, in the parameters
}

// A CubinSection is a section of the file.
type CubinSection struct {
	Name  string
	Type  string
	Flags string
	Size  uint64
}

// A CubinSymbol is a symbol of a section.
type CubinSymbol struct {
	Name, Section string
	Addr, Size    uint64
}

const (
	machineCUDA   = 190
	cubinABI      = 8 // from this ABI version on, the architecture is in bits 15:8 of e_flags
	firstSM       = 10
	lastSM        = 13
	textPrefix    = ".text."
	maxCubinSects = 1 << 14
	maxConstants  = 64 << 10 // bytes of a constant bank

	infoParam   = 0x17 // kinds of records of .nv.info: a parameter
	infoSized   = 4    // format of a record with a size
	infoParSize = 12
)

// cubinVariants are the variants of the tesla instruction set by architecture.
var cubinVariants = map[int]string{10: "g80", 11: "g84", 12: "gt215", 13: "g200"}

// Variant returns the variant of the tesla instruction set of the architecture. Chips of one architecture differ only
// in what compute programs do not use: sm_11 is G84 to G98, sm_12 GT215 to GT218.
func (c *Cubin) Variant() string { return cubinVariants[c.SM] }

// IsELF reports whether data starts like an ELF file of any machine.
func IsELF(data []byte) bool { return bytes.HasPrefix(data, []byte(elf.ELFMAG)) }

// ELFMachine returns the machine of an ELF file, and its name; "" if data is not an ELF file.
func ELFMachine(data []byte) (number int, name string) {
	if len(data) < 20 || !IsELF(data) {
		return 0, ""
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if data[5] == byte(elf.ELFDATA2MSB) {
		order = binary.BigEndian
	}
	number = int(order.Uint16(data[18:]))
	if number == machineCUDA {
		return number, "CUDA"
	}
	name = elf.Machine(number).String()
	if strings.HasPrefix(name, "EM_") {
		return number, strings.TrimPrefix(name, "EM_")
	}
	return number, "unknown"
}

// IsCubin reports whether data starts like a CUDA ELF file, of any architecture.
func IsCubin(data []byte) bool {
	n, _ := ELFMachine(data)
	return n == machineCUDA
}

// ReadCubin reads a CUDA ELF file. For an architecture other than Tesla's, the error names it.
func ReadCubin(data []byte) (*Cubin, error) {
	if !IsCubin(data) {
		return nil, failAt("header", 18, "no ELF file of CUDA (machine %d)", machineCUDA)
	}
	f, err := elf.NewFile(bytes.NewReader(data))
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, failAt("truncated", 0, "the file ends before the headers that its ELF header names")
	}
	if err != nil {
		return nil, failAt("header", 0, "%v", err)
	}
	c := &Cubin{Wide: f.Class == elf.ELFCLASS64}
	flags := binary.LittleEndian.Uint32(data[map[bool]int{true: 48, false: 36}[c.Wide]:])
	c.SM = int(flags & 0xff)
	if data[8] >= cubinABI {
		c.SM = int(flags >> 8 & 0xff)
	}
	if c.SM < firstSM || c.SM > lastSM {
		return nil, failAt("unsupported", 48, "code for sm_%d (e_flags %#x); of CUDA's architectures sm_%d to sm_%d are known, the Tesla chips G80 to GT218", c.SM, flags, firstSM, lastSM)
	}
	if len(f.Sections) > maxCubinSects {
		return nil, failAt("limit", 60, "%d sections, at most %d are read", len(f.Sections), maxCubinSects)
	}
	return c, c.read(f)
}

// read reads the sections.
func (c *Cubin) read(f *elf.File) error {
	parts := map[string]*CubinKernel{}
	var order []string
	for _, s := range f.Sections {
		c.Sections = append(c.Sections, CubinSection{s.Name, strings.TrimPrefix(s.Type.String(), "SHT_"), s.Flags.String(), s.Size})
		name, ok := strings.CutPrefix(s.Name, textPrefix)
		if !ok || parts[name] != nil {
			continue
		}
		if s.Type == elf.SHT_NOBITS {
			return failAt("section", s.Offset, "%s is code without bytes in the file", s.Name)
		}
		code, err := c.contentsOf(s)
		if err != nil {
			return err
		}
		parts[name] = &CubinKernel{Name: name, Code: code, Registers: int(s.Info >> 24)}
		order = append(order, name)
	}
	for _, s := range f.Sections {
		if err := c.section(s, parts); err != nil {
			return err
		}
	}
	syms, err := f.Symbols()
	if err != nil {
		syms = nil // a file need not have any
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_REL && s.Type != elf.SHT_RELA {
			continue
		}
		if err := c.relocate(f, s, syms, parts); err != nil {
			return err
		}
	}
	for _, name := range order {
		c.Kernels = append(c.Kernels, *parts[name])
	}
	for _, y := range syms {
		if int(y.Section) < len(f.Sections) && y.Name != "" {
			c.Symbols = append(c.Symbols, CubinSymbol{y.Name, f.Sections[y.Section].Name, y.Value, y.Size})
		}
	}
	return nil
}

// section reads a section that describes kernels.
func (c *Cubin) section(s *elf.Section, parts map[string]*CubinKernel) error {
	kind, of, _ := strings.Cut(strings.TrimPrefix(s.Name, ".nv."), ".")
	k := parts[of]
	bank, isBank := strings.CutPrefix(kind, "constant")
	switch {
	case !strings.HasPrefix(s.Name, ".nv."):
	case isBank:
		return c.constant(s, bank, k)
	case k == nil:
	case kind == "shared":
		k.Shared = s.Size
	case kind == "local":
		k.Local = s.Size
	case kind == "info":
		data, err := c.contentsOf(s)
		if err != nil {
			return err
		}
		k.Params = params(data)
	}
	return nil
}

// constant reads the contents of a constant bank.
func (c *Cubin) constant(s *elf.Section, bank string, k *CubinKernel) error {
	n, err := strconv.ParseUint(bank, 10, 8)
	if err != nil || n > 15 {
		return failAt("section", s.Offset, "%s: no constant bank %q; there are 0 to 15", s.Name, bank)
	}
	if s.Size > maxConstants {
		return failAt("limit", s.Offset, "%s has %#x bytes; a constant bank has at most %#x", s.Name, s.Size, maxConstants)
	}
	data, err := c.contentsOf(s)
	if err != nil {
		return err
	}
	if k == nil {
		c.Constants = append(c.Constants, CubinConstant{int(n), data})
	} else {
		k.Constants = append(k.Constants, CubinConstant{int(n), data})
	}
	return nil
}

// contentsOf returns the bytes of a section; zeros if it has none in the file. The total read from a file is limited,
// because sections may share bytes of the file, or have none there.
func (c *Cubin) contentsOf(s *elf.Section) ([]byte, error) {
	if s.Size > maxImage-c.held {
		return nil, failAt("limit", s.Offset, "%s has %#x bytes; at most %#x of all sections are read", s.Name, s.Size, maxImage)
	}
	c.held += s.Size
	if s.Type == elf.SHT_NOBITS {
		return make([]byte, s.Size), nil
	}
	data, err := s.Data()
	if err != nil {
		return nil, failAt("truncated", s.Offset, "%s has %#x bytes: %v", s.Name, s.Size, err)
	}
	return data, nil
}

// params returns the parameters in the records of a kernel's .nv.info, by ordinal. A truncated record ends the list.
func params(data []byte) (list []CubinParam) {
	le := binary.LittleEndian
	for len(data) >= 4 {
		format, kind, n := data[0], data[1], 4
		if format == infoSized {
			n += int(le.Uint16(data[2:]))
		}
		if n > len(data) {
			break
		}
		if format == infoSized && kind == infoParam && n >= 4+infoParSize {
			p := data[4:]
			list = append(list, CubinParam{Ordinal: int(le.Uint16(p[4:])), Offset: int(le.Uint16(p[6:])), Size: int(le.Uint32(p[8:]) >> 18)})
		}
		data = data[min((n+3)&^3, len(data)):]
	}
	slices.SortStableFunc(list, func(a, b CubinParam) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return list
}

// Kernel returns a kernel by its name; for "" the only one of the file. The error lists those that exist.
func (c *Cubin) Kernel(name string) (*CubinKernel, error) {
	var names []string
	for i := range c.Kernels {
		if k := &c.Kernels[i]; k.Name == name || name == "" && len(c.Kernels) == 1 {
			return k, nil
		}
		names = append(names, c.Kernels[i].Name)
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("there is no code: no section %sNAME", textPrefix)
	case name == "":
		return nil, fmt.Errorf("there are %d kernels: %s", len(names), strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("no kernel %q; there are %s", name, strings.Join(names, ", "))
}

// Banks returns the constant banks of a kernel: its own, and those of all kernels.
func (c *Cubin) Banks(k *CubinKernel) (banks [16][]byte) {
	for _, list := range [...][]CubinConstant{c.Constants, k.Constants} {
		for _, b := range list {
			banks[b.Bank] = b.Data
		}
	}
	return banks
}
