// Package cpu detects the vector instructions of the host processor, and whether the operating system saves the
// registers that they use. Both are needed: an instruction whose registers are lost at the next task switch is
// useless.
package cpu

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"
)

// A Set is a set of features of x86-64 processors.
type Set uint64

// Features by the names that the manuals have for them.
const (
	POPCNT Set = 1 << iota
	LZCNT
	BMI1
	BMI2
	AVX
	AVX2
	FMA
	F16C
	AVX512F
	AVX512CD
	AVX512BW
	AVX512DQ
	AVX512VL
	AVX512IFMA
	AVX512VBMI
	AVX512VBMI2
	AVX512BITALG
	AVX512VPOPCNTDQ
	AVX512FP16
	end
)

// names has the names of the features, in the order of the constants.
var names = [...]string{
	"POPCNT", "LZCNT", "BMI1", "BMI2", "AVX", "AVX2", "FMA", "F16C", "AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL",
	"AVX512IFMA", "AVX512VBMI", "AVX512VBMI2", "AVX512BITALG", "AVX512VPOPCNTDQ", "AVX512FP16",
}

// All is every feature that has a name here.
const All = end - 1

// General is what code for general registers needs, in both levels.
const General = POPCNT | LZCNT | BMI1 | BMI2

// Level2 is the minimum for generated code: vectors of 256 bits, fused multiply-add and conversions of f16.
const Level2 = General | AVX | AVX2 | FMA | F16C

// Level512 is the minimum for code with vectors of 512 bits and mask registers.
const Level512 = Level2 | AVX512F | AVX512CD | AVX512BW | AVX512DQ | AVX512VL

// of512 are the features that need the state of 512-bit vectors and of mask registers, ofAVX those that need 256 bits.
const (
	of512 = All &^ (General | AVX | AVX2 | FMA | F16C)
	ofAVX = AVX | AVX2 | FMA | F16C | of512
)

// Has reports whether all features of o are in s.
func (s Set) Has(o Set) bool { return s&o == o }

// String returns the names of the features, lowest first, separated by blanks; "none" for the empty set.
func (s Set) String() string {
	var list []string
	for rest := s & All; rest != 0; rest &= rest - 1 {
		list = append(list, names[bits.TrailingZeros64(uint64(rest))])
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, " ")
}

// Parse parses the format of String. It also accepts, in lower case, "avx2" for Level2 and "avx512" for Level512.
func Parse(text string) (Set, error) {
	var s Set
	for _, w := range strings.Fields(text) {
		f, ok := parseWord(w)
		if !ok {
			return 0, fmt.Errorf("cpu: no feature is named %q; there are avx2, avx512, none, %s", w, strings.Join(names[:], ", "))
		}
		s |= f
	}
	return s, nil
}

func parseWord(w string) (Set, bool) {
	switch w {
	case "none":
		return 0, true
	case "avx2":
		return Level2, true
	case "avx512":
		return Level512, true
	}
	for i, n := range names {
		if n == w {
			return 1 << i, true
		}
	}
	return 0, false
}

// Host returns the features that the processor has and whose state the operating system saves. It is empty on
// processors other than x86-64.
var Host = sync.OnceValue(detect)

// Pretend returns the features to be used when the program must use only the wanted ones. The error names wanted
// features that the host lacks.
func Pretend(want Set) (Set, error) {
	have := Host()
	if lack := want &^ have; lack != 0 {
		return want & have, fmt.Errorf("cpu: this processor, or its operating system, lacks %v", lack)
	}
	return want, nil
}

// A leaf is the four registers of a CPUID leaf.
type leaf struct{ eax, ebx, ecx, edx uint32 }

// A bit is the position of a feature in the CPUID leaves.
type bit struct {
	f    Set
	at   int // index among the words below
	mask uint32
}

// Words: leaf 1 ecx, leaf 7 ebx, leaf 7 ecx, leaf 7 edx, leaf 80000001 ecx.
const (
	ecx1 = iota
	ebx7
	ecx7
	edx7
	ecxExt
	numWords
)

// where has the position of each feature.
// Source: Intel's manual, volume 2, CPUID, and AMD's volume 3, appendix E, for LZCNT.
var where = [...]bit{
	{POPCNT, ecx1, 1 << 23}, {LZCNT, ecxExt, 1 << 5}, {BMI1, ebx7, 1 << 3}, {BMI2, ebx7, 1 << 8},
	{AVX, ecx1, 1 << 28}, {AVX2, ebx7, 1 << 5}, {FMA, ecx1, 1 << 12}, {F16C, ecx1, 1 << 29},
	{AVX512F, ebx7, 1 << 16}, {AVX512CD, ebx7, 1 << 28}, {AVX512BW, ebx7, 1 << 30}, {AVX512DQ, ebx7, 1 << 17},
	{AVX512VL, ebx7, 1 << 31}, {AVX512IFMA, ebx7, 1 << 21}, {AVX512VBMI, ecx7, 1 << 1}, {AVX512VBMI2, ecx7, 1 << 6},
	{AVX512BITALG, ecx7, 1 << 12}, {AVX512VPOPCNTDQ, ecx7, 1 << 14}, {AVX512FP16, edx7, 1 << 23},
}

// Bits of leaf 1 ecx and of XCR0 that tell which state the operating system saves.
const (
	osxsave   = 1 << 27
	stateYMM  = 1<<1 | 1<<2        // XMM and the upper halves of YMM
	stateZMM  = 1<<5 | 1<<6 | 1<<7 // mask registers, upper halves of ZMM0-15, ZMM16-31
	topLeaf   = 0x80000000
	extraLeaf = 0x80000001
)

// decide returns the features in the CPUID leaves, without those whose registers the operating system does not save.
// cpuid returns a leaf with sub-leaf 0; xcr0 is called only if it can be read.
func decide(cpuid func(n uint32) leaf, xcr0 func() uint32) Set {
	top := cpuid(0).eax
	if top < 1 {
		return 0
	}
	var words [numWords]uint32
	words[ecx1] = cpuid(1).ecx
	if top >= 7 {
		l := cpuid(7)
		words[ebx7], words[ecx7], words[edx7] = l.ebx, l.ecx, l.edx
	}
	if cpuid(topLeaf).eax >= extraLeaf {
		words[ecxExt] = cpuid(extraLeaf).ecx
	}
	var s Set
	for _, b := range where {
		if words[b.at]&b.mask != 0 {
			s |= b.f
		}
	}
	var kept uint32
	if words[ecx1]&osxsave != 0 {
		kept = xcr0()
	}
	if kept&stateYMM != stateYMM {
		s &^= ofAVX
	}
	if kept&stateZMM != stateZMM {
		s &^= of512
	}
	return depend(s)
}

// depend drops features whose prerequisites are missing: some virtual machines report such sets.
func depend(s Set) Set {
	if s&AVX == 0 {
		s &^= ofAVX
	}
	if s&AVX2 == 0 || s&AVX512F == 0 {
		s &^= of512
	}
	return s
}
