// Package chips has what is known of the memory of the chips that run code of the instruction sets, with sources. What
// no source says is 0.
package chips

import (
	"strings"

	"github.com/heddle-gpu/heddle/profile"
)

// A Memory is how memory serves the lanes of an instruction.
type Memory struct {
	profile.Memory
	// Source says where the numbers are from, and what is not known.
	Source string `json:"source"`
}

// The source of rules of Tesla.
const (
	cudaGuide = "NVIDIA CUDA C Programming Guide 4.2 (2012), compute capability "
	halfWarps = ": transactions of 32 to 128 bytes for each half of a warp; F.3.3: 16 banks, conflicts within half a warp, one word at a time is passed to several lanes"
)

// memories are those of instruction sets and variants; the first prefix matches.
var memories = []struct {
	isa string
	Memory
}{
	{"gcn:", Memory{profile.Memory{Line: 64, Banks: 32, Pass: 32}, "AMD Accelerated Parallel Processing OpenCL Programming Guide 2.7 (2013), 6.2: 32 banks, conflicts within half a wavefront (kabini, mullins and stoney have 16 banks, LLVM's FeatureLDSBankCount16: a profile does not know its chip); lines of 64 bytes"}},
	{"tesla:g200", Memory{profile.Memory{Line: 128, Rule: profile.Reduced, Banks: 16, Pass: 16, OneWord: true}, cudaGuide + "1.3, F.3.2.2" + halfWarps}},
	{"tesla:gt215", Memory{profile.Memory{Line: 128, Rule: profile.Reduced, Banks: 16, Pass: 16, OneWord: true}, cudaGuide + "1.2, F.3.2.2" + halfWarps}},
	{"tesla:g80", Memory{profile.Memory{Line: 128, Rule: profile.InOrder, Banks: 16, Pass: 16, OneWord: true}, cudaGuide + "1.0, F.3.2.1" + halfWarps}},
	{"tesla:", Memory{profile.Memory{Line: 128, Rule: profile.InOrder, Banks: 16, Pass: 16, OneWord: true}, cudaGuide + "1.1, F.3.2.1" + halfWarps}},
	{"valhall:", Memory{profile.Memory{Line: 64}, "Arm Mali Bifrost and Valhall OpenCL Developer Guide 3.2, 7.3.2: lines of 64 bytes; workgroup memory lies in global memory, and nothing is published of its banks"}},
}

// Of returns what is known of a variant, such as gcn:gfx8.
func Of(isa string) Memory {
	for _, m := range memories {
		if strings.HasPrefix(isa, m.isa) {
			return m.Memory
		}
	}
	return Memory{Source: "nothing is published of lines and banks"}
}
