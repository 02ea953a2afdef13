package gcn

import "slices"

// A unit executes instructions. Each has an issue slot of its own: of the waves of a SIMD, one instruction of each kind
// starts at a time.
type unit uint8

const (
	unitVALU unit = iota
	unitSALU
	unitSMEM
	unitVMEM
	unitLDS
	unitGDS
	unitFlat // vmem, and lds for addresses in its window
	unitExport
	unitBranch
	unitMessage
	unitInternal // the instruction buffer: waits, barriers and ends go to no unit
)

// unitNames are the names of units in a [isa.Cost].
var unitNames = [...]string{unitVALU: "valu", unitSALU: "salu", unitSMEM: "smem", unitVMEM: "vmem", unitLDS: "lds", unitGDS: "gds", unitFlat: "flat", unitExport: "export",
	unitBranch: "branch", unitMessage: "message", unitInternal: "internal"}

// The classes of valu, by rate, those of memory, and those of table classes.
const (
	classFull    = "full"
	classWide    = "wide" // integers of 64 bits
	classQuarter = "quarter"
	classConvert = "convert"
	classFMA     = "fma"
	classAdd64   = "add64" // sums, comparisons, conversions and the like of 64-bit floats
	classMul64   = "mul64"
	classTrans64 = "trans64"

	classLoad   = "load"
	classStore  = "store"
	classAtomic = "atomic"
	classSample = "sample"

	classState      = "state"  // hardware registers, and EXEC with another result
	classLoad96     = "load96" // of LDS
	classStore64    = "store64"
	classStore96    = "store96"
	classExchange64 = "exchange64" // of two elements
	classSource64   = "source64"   // operations whose operand is in LDS, too
	classOther      = "other"
)

// of returns the unit of a row of a family that is of unit u, and the class of the instruction there.
func (u unit) of(s *sig) (unit, string) {
	switch {
	case s.reads(oBranch), s.has(fJumps):
		return unitBranch, ""
	case s.reads(oMsg):
		return unitMessage, ""
	case u == unitVALU:
		return unitVALU, s.rate()
	case s.has(fGDS):
		return unitGDS, s.access()
	case u == unitVMEM || u == unitFlat || u == unitLDS:
		return u, s.access()
	}
	return u, ""
}

// rate is the class of a vector instruction: words of the row say what its types do not.
func (s *sig) rate() string {
	for _, r := range [...]struct {
		flag  flag
		class string
	}{{fQuarter, classQuarter}, {fConvert, classConvert}, {fFMA, classFMA}, {fMul64, classMul64}, {fTrans64, classTrans64}} {
		if s.has(r.flag) {
			return r.class
		}
	}
	types := []typ{s.result()}
	for i := range s.src {
		types = append(types, s.srcType(i))
	}
	switch {
	case slices.Contains(types, f64):
		return classAdd64
	case slices.Contains(types, b64):
		return classWide
	}
	return classFull
}

// access is the class of a memory instruction.
func (s *sig) access() string {
	switch {
	case s.reads(oSampler):
		return classSample
	case len(s.dst) == 0:
		return classStore
	case s.atomic():
		return classAtomic
	}
	return classLoad
}
