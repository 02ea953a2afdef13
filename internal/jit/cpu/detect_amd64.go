package cpu

// cpuidex is the CPUID instruction: leaf in EAX, sub-leaf in ECX.
//
//go:noescape
func cpuidex(n, sub uint32) (eax, ebx, ecx, edx uint32)

// xgetbv0 is the low half of XCR0. Only for processors and systems with OSXSAVE.
//
//go:noescape
func xgetbv0() (eax uint32)

func detect() Set {
	return decide(func(n uint32) leaf {
		var l leaf
		l.eax, l.ebx, l.ecx, l.edx = cpuidex(n, 0)
		return l
	}, xgetbv0)
}
