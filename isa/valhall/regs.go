package valhall

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/heddle-gpu/heddle/ir"
	"github.com/heddle-gpu/heddle/isa"
)

// Files of the machine, by index. docs/reference/valhall.md 2 and 7.
const (
	FileR      = iota // registers
	FileU             // uniform words of the fast-access uniform RAM
	FileS             // special values of the fast-access uniform RAM: see Special
	FileExec          // the active mask
	FileHelper        // threads that are discarded, or exist only as neighbours in a quad: their stores do nothing
)

// Numbers of registers.
const (
	NumR       = 64
	NumU       = 256
	pageWords  = 64
	numPages   = 4
	numSpecial = 16 // per page, two words each
)

// Lanes is the number of threads of a warp, quadLanes that of a quad of fragments.
const (
	Lanes     = 16
	quadLanes = 4
)

// Special is the cell of a word of a special value: its page, its number there, 0 or 1 for the low or the high word.
// Special values that depend on the lane or on the address have no cells: lane_id, program_counter.
func Special(page, number, word int) ir.Cell {
	return ir.Cell{File: FileS, Index: uint16(2*(numSpecial*page+number) + word)}
}

// Special values by number, of the page in the comment. docs/reference/valhall.md 2.
const (
	SpecialWarp        = 2  // 0
	SpecialFramebuffer = 4  // 0
	SpecialATest       = 5  // 0
	SpecialSample      = 6  // 0
	SpecialBlend       = 8  // 0, of the first render target
	SpecialTLS         = 1  // 1
	SpecialWLS         = 3  // 1
	SpecialTable       = 7  // 1
	SpecialLane        = 1  // 3
	SpecialCore        = 3  // 3
	SpecialOutput      = 4  // 3, from v12 on: what a vertex program must write
	SpecialPrepass     = 5  // 3, from v13 on
	SpecialPC          = 15 // 3
)

// blends is the number of render targets with a blend descriptor.
const blends = 8

// Pages of the special values.
const (
	PageDescriptors = 0
	PagePointers    = 1
	PageIdentity    = 3
)

// specials are the names of special values, by page.
var specials = [numPages][numSpecial]string{
	PageDescriptors: {SpecialWarp: "warp_id", SpecialFramebuffer: "framebuffer_size", SpecialATest: "atest_datum", SpecialSample: "sample",
		SpecialBlend: "blend_descriptor_0", SpecialBlend + 1: "blend_descriptor_1", SpecialBlend + 2: "blend_descriptor_2", SpecialBlend + 3: "blend_descriptor_3",
		SpecialBlend + 4: "blend_descriptor_4", SpecialBlend + 5: "blend_descriptor_5", SpecialBlend + 6: "blend_descriptor_6", SpecialBlend + 7: "blend_descriptor_7"},
	PagePointers: {SpecialTLS: "thread_local_pointer", SpecialWLS: "workgroup_local_pointer", SpecialTable: "resource_table_pointer"},
	PageIdentity: {SpecialLane: "lane_id", SpecialCore: "core_id", SpecialOutput: "shader_output", SpecialPrepass: "prepass_state", SpecialPC: "program_counter"},
}

// specialsSince are the first architectures of special values that v9 does not have.
var specialsSince = [numPages][numSpecial]int{PageIdentity: {SpecialOutput: 12, SpecialPrepass: 13}}

// Queues of the machine: slots that messages name, and slots that only flows wait for. docs/reference/valhall.md 8.
const (
	numSlots  = 8
	SlotDepth = 6 // of ATEST and ZS_EMIT: it also waits for fragments drawn before
	SlotGroup = 7 // of BARRIER
)

var machine = &ir.Machine{
	Name: "valhall",
	Files: []ir.File{
		FileR:      {Name: "r", Kind: ir.Lane32, Count: NumR, Unset: true},
		FileU:      {Name: "u", Kind: ir.Wave32, Count: NumU},
		FileS:      {Name: "special", Kind: ir.Wave32, Count: 2 * numPages * numSpecial},
		FileExec:   {Name: "exec", Kind: ir.ExecMask, Count: 1},
		FileHelper: {Name: "helper", Kind: ir.Lane1, Count: 1},
	},
	Widths:  []int{Lanes, 1, 4, 64},
	Control: ir.LowestPC,
	Queues: []ir.Queue{slotQueue("slot0"), slotQueue("slot1"), slotQueue("slot2"), slotQueue("slot3"), slotQueue("slot4"), slotQueue("slot5"),
		{Name: "slot6", Unordered: true, Max: maxMessages, Outside: true}, slotQueue("slot7")},
	Bounds: []string{boundSize: "the size of the buffer", boundTable: "the table of descriptors", boundTables: "the number of tables"},
	Spaces: ir.Spaces{ir.GlobalSpace: 1, ir.GroupSpace: 1, ir.PrivateSpace: 1, ir.FlatSpace: 1},
}

// Bounds of accesses by descriptor, in Machine.Bounds.
const (
	boundSize = iota
	boundTable
	boundTables
)

// slotQueue is a slot: its messages complete in any order, and their number is unlimited.
func slotQueue(name string) ir.Queue {
	return ir.Queue{Name: name, Unordered: true, Max: maxMessages}
}

const maxMessages = 1 << 20

// cell resolves a register name: r5, r4r5 (a pair), u17, thread_local_pointer.w1, thread_local_pointer (both words),
// helper.
func cell(_ int, name string) ([]ir.Cell, error) {
	none := fmt.Errorf("valhall: no register %q", name)
	if name == machine.Files[FileHelper].Name {
		return isa.Cells(FileHelper, 0, 1), nil
	}
	base, word, split := strings.Cut(name, ".w")
	for page := range specials {
		for n, s := range specials[page] {
			if s != base || s == "" {
				continue
			}
			c := Special(page, n, 0)
			switch {
			case !split:
				return isa.Cells(FileS, int(c.Index), 2), nil
			case word == "0" || word == "1":
				return isa.Cells(FileS, int(c.Index)+int(word[0]-'0'), 1), nil
			}
			return nil, none
		}
	}
	if lo, hi, ok := strings.Cut(strings.TrimPrefix(name, "r"), "r"); ok && name[0] == 'r' {
		a, errA := cell(0, "r"+lo)
		b, errB := cell(0, "r"+hi)
		if errA != nil || errB != nil || b[0].Index != a[0].Index+1 {
			return nil, none
		}
		return append(a, b...), nil
	}
	for file, count := range [...]int{FileR: NumR, FileU: NumU} {
		digits, ok := strings.CutPrefix(name, machine.Files[file].Name)
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 && n < count && strconv.Itoa(n) == digits {
			return isa.Cells(file, n, 1), nil
		}
	}
	return nil, none
}

// cellName is the name of one cell, the inverse of cell.
func cellName(c ir.Cell) string {
	switch c.File {
	case FileR, FileU:
		return machine.Files[c.File].Name + strconv.Itoa(int(c.Index))
	case FileHelper:
		return machine.Files[FileHelper].Name
	case FileS:
		if s := specials[c.Index/2/numSpecial][c.Index/2%numSpecial]; s != "" {
			return s + ".w" + strconv.Itoa(int(c.Index%2))
		}
	}
	return ""
}
