package dap

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/heddle-gpu/heddle/debug"
)

// codeShift is the position of a program's number in a reference to an instruction. Below it is the address in the
// listing.
const codeShift = 48

// reference returns a reference to an instruction.
func reference(c *debug.Code, pc uint64) string {
	return fmt.Sprintf("%#x", uint64(c.ID)<<codeShift|c.Place(pc).Addr)
}

// codes returns the programs that have run.
func (s *session) codes() []*debug.Code {
	if s.run == nil {
		return nil
	}
	return s.run.Codes()
}

// instruction returns the address that a reference plus an offset in bytes names.
func (s *session) instruction(ref string, offset int) (*debug.Code, uint64, error) {
	n, err := strconv.ParseUint(ref, 0, 64)
	if err != nil {
		return nil, 0, fmt.Errorf("%q is no reference to an instruction: want an address of a listing, such as 0x1040", ref)
	}
	list := s.codes()
	if n>>codeShift >= uint64(len(list)) {
		return nil, 0, fmt.Errorf("%s: no such program has run", ref)
	}
	c := list[n>>codeShift]
	return c, c.Memory(n&(1<<codeShift-1)) + uint64(offset), nil
}

// line converts a line to the client's count, and fromClient from it.
func (s *session) line(n int) int {
	if s.client.lines0 {
		return n - 1
	}
	return n
}

func (s *session) fromClient(n int) int {
	if s.client.lines0 {
		return n + 1
	}
	return n
}

// column returns the first column in the client's count.
func (s *session) column() int {
	if s.client.columns0 {
		return 0
	}
	return 1
}

// sourceAt returns the source of an instruction: a file, or else the listing of the program.
func (s *session) sourceAt(c *debug.Code, pc uint64) (*dap.Source, int) {
	if p := c.Place(pc).Position(); p.Known() {
		if path := s.find(p.File); path != "" {
			return &dap.Source{Name: filepath.Base(path), Path: path}, s.line(p.Line)
		}
	}
	return s.inListing(c, pc)
}

// inListing returns an instruction in the listing of its program.
func (s *session) inListing(c *debug.Code, pc uint64) (*dap.Source, int) {
	_, at := c.Listing()
	index, line := c.Index(pc), 0
	for i, n := range at {
		if n == index {
			line = i + 1 // the last line of an instruction is its own
		}
	}
	if line == 0 {
		line = len(at)
	}
	return s.listing(c), s.line(line)
}

// listing returns the listing of a program as a source.
func (s *session) listing(c *debug.Code) *dap.Source {
	return &dap.Source{Name: c.Name + ".dis", SourceReference: c.ID + 1, Origin: "disassembly"}
}

// find returns the path of a file that code comes from; "": it is not found.
func (s *session) find(file string) string {
	dir := s.launch.Program
	if info, err := os.Stat(s.resolve(dir)); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for _, in := range append([]string{"", dir}, s.launch.SourcePaths...) {
		path := file
		if in != "" {
			path = filepath.Join(in, filepath.Base(file))
		}
		path = s.resolve(path)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// resolve makes a path absolute, relative to the directory of the launch.
func (s *session) resolve(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	if abs, err := filepath.Abs(filepath.Join(s.launch.Cwd, path)); err == nil {
		return abs
	}
	return path
}

// listingOf returns the program of a source reference.
func (s *session) listingOf(ref int) (*debug.Code, error) {
	list := s.codes()
	if ref < 1 || ref > len(list) {
		return nil, fmt.Errorf("no source of reference %d", ref)
	}
	return list[ref-1], nil
}

func (s *session) source(m *dap.SourceRequest) (dap.ResponseMessage, error) {
	ref := m.Arguments.SourceReference
	if src := m.Arguments.Source; src != nil && src.SourceReference != 0 {
		ref = src.SourceReference
	}
	c, err := s.listingOf(ref)
	if err != nil {
		return nil, fmt.Errorf("source: %w", err)
	}
	text, _ := c.Listing()
	return &dap.SourceResponse{Body: dap.SourceResponseBody{Content: text, MimeType: "text/x-asm"}}, nil
}

func (s *session) loadedSources(*dap.LoadedSourcesRequest) (dap.ResponseMessage, error) {
	list := []dap.Source{}
	for _, c := range s.codes() {
		for _, f := range c.Files() {
			if path := s.find(f); path != "" {
				list = append(list, dap.Source{Name: filepath.Base(path), Path: path})
			}
		}
		list = append(list, *s.listing(c))
	}
	return &dap.LoadedSourcesResponse{Body: dap.LoadedSourcesResponseBody{Sources: list}}, nil
}

// module returns a program as a module.
func module(c *debug.Code) dap.Module {
	m := dap.Module{Id: c.ID, Name: c.Name, IsUserCode: true, SymbolStatus: "no symbols"}
	switch {
	case len(c.Files()) > 0:
		m.SymbolStatus = "lines of " + strings.Join(c.Files(), ", ")
	case len(c.Symbols()) > 0:
		m.SymbolStatus = "symbols"
	}
	if list := c.Insts(); len(list) > 0 {
		m.AddressRange = reference(c, list[0].PC)
	}
	return m
}

func (s *session) modules(m *dap.ModulesRequest) (dap.ResponseMessage, error) {
	list := []dap.Module{}
	for _, c := range s.codes() {
		list = append(list, module(c))
	}
	r := &dap.ModulesResponse{Body: dap.ModulesResponseBody{TotalModules: len(list)}}
	from := min(max(m.Arguments.StartModule, 0), len(list))
	if r.Body.Modules = list[from:]; m.Arguments.ModuleCount > 0 {
		r.Body.Modules = r.Body.Modules[:min(m.Arguments.ModuleCount, len(r.Body.Modules))]
	}
	return r, nil
}

// maxDisassembly limits the instructions of one answer.
const maxDisassembly = 1 << 14

func (s *session) disassemble(m *dap.DisassembleRequest) (dap.ResponseMessage, error) {
	a := &m.Arguments
	if a.InstructionCount < 0 || a.InstructionCount > maxDisassembly {
		return nil, fmt.Errorf("disassemble: %d instructions; want 0 to %d", a.InstructionCount, maxDisassembly)
	}
	c, pc, err := s.instruction(a.MemoryReference, a.Offset)
	if err != nil {
		return nil, fmt.Errorf("disassemble: %w", err)
	}
	insts := c.Insts()
	var counts map[uint64]debug.Count
	if s.run.Halted() != nil { // else they change
		counts = s.run.Counts(c)
	}
	list := []dap.DisassembledInstruction{}
	first := c.Index(pc) + min(max(a.InstructionOffset, -1<<32), 1<<32)
	for i := first; i < first+a.InstructionCount; i++ {
		if i < 0 || i >= len(insts) {
			list = append(list, outside(c, i))
			continue
		}
		d := s.disassembled(c, &insts[i], a.ResolveSymbols)
		if n, ran := counts[insts[i].PC]; ran {
			d.Instruction += "  // " + n.String()
		}
		list = append(list, d)
	}
	return &dap.DisassembleResponse{Body: dap.DisassembleResponseBody{Instructions: list}}, nil
}

// outside returns a placeholder for an instruction before the first or after the last: answers must have the
// requested number, each with an address of its own.
func outside(c *debug.Code, i int) dap.DisassembledInstruction {
	insts, addr := c.Insts(), uint64(i)*4
	if n := len(insts); n > 0 {
		addr = insts[0].Place.Addr + uint64(i)*4
		if i >= n {
			addr = insts[n-1].Place.Addr + uint64(insts[n-1].Size) + uint64(i-n)*4
		}
	}
	return dap.DisassembledInstruction{Address: fmt.Sprintf("%#x", uint64(c.ID)<<codeShift+addr), Instruction: "(no code)"}
}

// disassembled returns an instruction as clients show it.
func (s *session) disassembled(c *debug.Code, in *debug.Inst, symbols bool) dap.DisassembledInstruction {
	d := dap.DisassembledInstruction{Address: reference(c, in.PC), Instruction: c.Text(in.PC)}
	if code := c.Bytes(in); code != nil {
		d.InstructionBytes = strings.TrimSpace(fmt.Sprintf("% x", code))
	}
	if symbols {
		d.Symbol = in.Place.Name()
	}
	if in.Place.Position().Known() {
		d.Location, d.Line = s.sourceAt(c, in.PC)
	}
	return d
}
