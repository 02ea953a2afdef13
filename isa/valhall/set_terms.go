package valhall

import (
	"fmt"
	"slices"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// slotDocs describe the messages of each slot.
var slotDocs = [numSlots]string{
	0: "loads, stores, textures and varyings that name it, and ATEST and ZS_EMIT", 1: "loads, stores, textures and varyings that name it",
	2: "loads, stores, textures and varyings that name it", SlotDepth: "ATEST and ZS_EMIT, and fragments of the same pixel that were drawn before", SlotGroup: "BARRIER",
}

// waitLines says which slot a message is on, and which slots the flow of an instruction waits for.
func waitLines(_ *isa.Target, b *isa.Bundle) (lines []string) {
	in := &b.Parts[0]
	if rowOf(in).isMessage() {
		slot := messageSlot(in)
		lines = append(lines, fmt.Sprintf("Sends a message on slot %d (%s) and goes on at once: a wait for that slot comes before anything reads or writes its result.", slot, slotDocs[slot]))
	}
	action := in.Get(nameFlow)
	if slots := waitsOf(action); len(slots) > 0 {
		var general, names []string
		for _, s := range slots {
			if s < SlotDepth {
				general = append(general, fmt.Sprint(s))
			} else {
				names = append(names, fmt.Sprintf("%d (%s)", s, slotDocs[s]))
			}
		}
		names = append([]string{strings.Join(general, ", ") + " (loads, stores, textures, varyings)"}, names...)
		lines = append(lines, fmt.Sprintf("%s: after the instruction, waits until no message is pending on slots %s. A slot is no counter: it cannot be waited for in part.", flow.Table[action], strings.Join(names, ", ")))
	}
	switch action {
	case flowReconverge:
		lines = append(lines, ".reconverge: after the instruction, lanes that branched apart and are at the same place run together again.")
	case flowDiscard:
		lines = append(lines, ".discard: after the instruction, threads that DISCARD has killed end.")
	case flowEnd:
		lines = append(lines, ".end: after the instruction, the threads that execute it end. Stores need no wait before it.")
	}
	return lines
}

// flowName is a flow as text, without its dot.
func flowName(v uint64) string { return strings.TrimPrefix(flow.Table[v], ".") }

// terms explain the registers and special operands of Valhall.
func terms() []isa.Term {
	const sources, slots, begin, flowField = "docs/reference/valhall.md 2", sectSlots, "docs/reference/valhall.md 7.1", "docs/reference/valhall.md 6"
	const lane, warp = "32 bits per lane", "32 bits per warp"
	list := []isa.Term{
		{Name: "r#", Most: NumR - 1, Align: 2, Size: lane, Source: begin, Doc: "A register of the thread. Two together, r4:r5, hold 64 bits, and begin at an even number. ^r4 reads it for the last time: its value may be gone then. A launch fills those of r48 to r63 that the program's descriptor asks for; the others are undefined at the begin."},
		{Name: "^r#", Most: NumR - 1, Size: lane, Source: sources, Doc: "A register that is read for the last time: hardware need not keep its value."},
		{Name: "@r#", Most: NumR - 1, Size: "one to eight registers of 32 bits per lane", Source: "docs/reference/valhall.md 4", Doc: "The staging registers of a message, from this one on: the data that it loads or stores. How many there are follows from the instruction."},
		{Name: "u#", Most: NumU - 1, Align: 2, Size: warp, Source: sources, Doc: "A uniform (fast access uniform): one value for all threads of a draw or dispatch, which the driver writes before. Programs only read it. All uniforms of an instruction come from one page of 64 words."},
		{Name: "slot#", Most: numSlots - 1, Size: "a count per warp", Source: slots, Doc: "Messages are sent on a slot and end later. 0, 1 and 2 are for loads, stores, textures and varyings; 6 is that of ATEST and ZS_EMIT, 7 that of BARRIER. The flow field of any instruction waits until none is pending: .wait0, .wait01, .wait."},
		{Name: "helper", Size: "1 bit per lane", Source: "docs/reference/valhall.md 7", Doc: "Whether the thread is a helper: it runs so that its quad has derivatives, and its stores and atomics do nothing."},
	}
	for v, ss := range waits {
		name := flowName(uint64(v))
		if len(ss) == 0 || name == "" {
			continue
		}
		var which []string
		for _, s := range ss {
			which = append(which, fmt.Sprint(s))
		}
		doc := fmt.Sprintf("A flow: after the instruction that has it, the warp waits until no message is pending on slots %s.", strings.Join(which, ", "))
		list = append(list, isa.Term{Name: name, Size: "an action of any instruction", Source: flowField, Doc: doc}, isa.Term{Name: "." + name, Size: "an action of any instruction", Source: flowField, Doc: doc})
	}
	for _, f := range flowDocs {
		list = append(list, isa.Term{Name: f[0], Size: "an action of any instruction", Source: flowField, Doc: f[1]}, isa.Term{Name: "." + f[0], Size: "an action of any instruction", Source: flowField, Doc: f[1]})
	}
	for page := range specials {
		for n, name := range specials[page] {
			if i := slices.IndexFunc(specialDocs, func(d [2]string) bool { return strings.HasPrefix(name, d[0]) }); name != "" && i >= 0 {
				doc := fmt.Sprintf("A special value of page %d, number %d, only read; name.w0 and name.w1 are its words. %s", page, n, specialDocs[i][1])
				for _, end := range [...]string{"", ".w0", ".w1"} {
					list = append(list, isa.Term{Name: name + end, Size: "two words of 32 bits", Source: sources, Doc: doc})
				}
			}
		}
	}
	return list
}

// flowDocs describe the flows that wait for nothing.
var flowDocs = [...][2]string{
	{"reconverge", "A flow: after the instruction, the active lanes are found anew, and those that branched apart and are at one place run together again."},
	{"discard", "A flow of fragment shaders: after the instruction, threads that DISCARD has killed end."},
	{"end", "A flow: after the instruction, the threads that execute it end."},
}

// specialDocs describe special values, by prefixes of their names.
var specialDocs = [][2]string{
	{"warp_id", "The number of the warp."},
	{"shader_output", "Of vertex programs, from v12 on: what is to be written. Bit 0 is the position, 1 size, layer and number of primitives, 2 varyings."},
	{"prepass_state", "From v13 on: the state of a prepass. No source says what it holds."},
	{"framebuffer_size", "Width and height of the framebuffer."},
	{"atest_datum", "What ATEST needs of the draw."},
	{"sample", "Positions of samples."},
	{"blend_descriptor", "How the colour of a render target is blended: an operand of BLEND."},
	{"thread_local_pointer", "The address of the thread's private memory (stack and spills)."},
	{"workgroup_local_pointer", "The address of the workgroup's shared memory."},
	{"resource_table_pointer", "The address of the table of resource tables: descriptors of buffers, textures and samplers."},
	{"lane_id", "The number of the lane in the warp, 0 to 15."},
	{"core_id", "The number of the shader core."},
	{"program_counter", "The address of the next instruction."},
}
