package cpu

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"testing"
)

// linuxNames are the flags of /proc/cpuinfo, which the kernel clears if it does not save the state.
var linuxNames = map[string]Set{
	"popcnt": POPCNT, "abm": LZCNT, "bmi1": BMI1, "bmi2": BMI2, "avx": AVX, "avx2": AVX2, "fma": FMA, "f16c": F16C,
	"avx512f": AVX512F, "avx512cd": AVX512CD, "avx512bw": AVX512BW, "avx512dq": AVX512DQ, "avx512vl": AVX512VL,
	"avx512ifma": AVX512IFMA, "avx512vbmi": AVX512VBMI, "avx512_vbmi2": AVX512VBMI2, "avx512_bitalg": AVX512BITALG,
	"avx512_vpopcntdq": AVX512VPOPCNTDQ, "avx512_fp16": AVX512FP16,
}

// stateless are features without state for the kernel to save. Hypervisors hide some of them from its list although
// programs have them.
const stateless = POPCNT | LZCNT | BMI1 | BMI2

// TestHost compares CPUID with the kernel's list, feature by feature; the kernel may list fewer of those without
// state.
func TestHost(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		if Host() != 0 {
			t.Errorf("%v on %s", Host(), runtime.GOARCH)
		}
		return
	}
	want, ok := kernelFlags(t)
	if !ok {
		t.Skip("no /proc/cpuinfo to compare with")
	}
	if got := Host(); got&^stateless != want&^stateless || want&^got != 0 {
		t.Errorf("%v, the kernel says %v", got, want)
	}
}

func kernelFlags(t *testing.T) (s Set, ok bool) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		if head, list, _ := strings.Cut(sc.Text(), ":"); strings.TrimSpace(head) == "flags" {
			for _, w := range strings.Fields(list) {
				s |= linuxNames[w]
			}
			return s, true
		}
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return 0, false
}

// answers is a processor in a test.
type answers map[uint32]leaf

func (a answers) decide(xcr0 uint32) Set {
	return decide(func(n uint32) leaf { return a[n] }, func() uint32 { return xcr0 })
}

// everything returns a processor with all bits set.
func everything() answers {
	ones := ^uint32(0)
	return answers{0: {eax: 7}, 1: {ecx: ones}, 7: {ebx: ones, ecx: ones, edx: ones}, 0x80000000: {eax: 0x80000008}, 0x80000001: {ecx: ones}}
}

// TestState checks that features are absent if the operating system does not save their state, whatever CPUID says.
func TestState(t *testing.T) {
	if got := everything().decide(0xe7); got != All {
		t.Errorf("all bits, all kept: lacks %v", All&^got)
	}
	if got := everything().decide(0x07); got != Level2 {
		t.Errorf("without the state of ZMM: %v", got)
	}
	for _, part := range []uint32{0x20, 0x40, 0x80} { // each of the three must be saved
		if got := everything().decide(0xe7 &^ part); got != Level2 {
			t.Errorf("without part %#x: %v", part, got)
		}
	}
	if got := everything().decide(0x03); got != General {
		t.Errorf("without the state of YMM: %v", got)
	}
	a := everything()
	a[1] = leaf{ecx: ^uint32(1 << 27)}
	asked := false
	got := decide(func(n uint32) leaf { return a[n] }, func() uint32 { asked = true; return 0xe7 })
	if got != General || asked {
		t.Errorf("without OSXSAVE: %v, XCR0 read: %t", got, asked)
	}
}

// TestOldProcessors checks that missing leaves are not read, and that features without their prerequisites are absent.
func TestOldProcessors(t *testing.T) {
	a := everything()
	a[0], a[0x80000000] = leaf{eax: 1}, leaf{}
	if got, want := a.decide(0xe7), POPCNT|AVX|FMA|F16C; got != want {
		t.Errorf("leaf 1 only: %v, want %v", got, want)
	}
	a = everything()
	a[7] = leaf{ebx: ^uint32(1 << 16), ecx: ^uint32(0), edx: ^uint32(0)}
	if got := a.decide(0xe7); got != Level2 {
		t.Errorf("without AVX512F: %v", got)
	}
	a[1] = leaf{ecx: ^uint32(1 << 28)}
	if got := a.decide(0xe7); got != General {
		t.Errorf("without AVX: %v", got)
	}
	if got := (answers{}).decide(0xe7); got != 0 {
		t.Errorf("no leaf: %v", got)
	}
}

// TestNames checks that feature names are unique, and that Parse reads the output of String.
func TestNames(t *testing.T) {
	if All != 1<<len(names)-1 || len(where) != len(names) {
		t.Fatalf("%d names, %d places, features %#x", len(names), len(where), uint64(All))
	}
	for i := range names {
		f := Set(1) << i
		if got, err := Parse(f.String()); err != nil || got != f {
			t.Errorf("%v is read as %v, %v", f, got, err)
		}
	}
	if got, err := Parse("avx512 AVX512FP16"); err != nil || got != Level512|AVX512FP16 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Parse("avx2"); err != nil || got != Level2 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Parse(Set(0).String()); err != nil || got != 0 {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := Parse("avx2 sse9"); err == nil || !strings.Contains(err.Error(), `"sse9"`) {
		t.Errorf("an unknown name: %v", err)
	}
}

// TestPretend checks that a feature is an error exactly if the host lacks it.
func TestPretend(t *testing.T) {
	if got, err := Pretend(Host()); err != nil || got != Host() {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := Pretend(0); err != nil || got != 0 {
		t.Errorf("%v, %v", got, err)
	}
	lack := All &^ Host()
	if got, err := Pretend(All); (err != nil) != (lack != 0) || got != Host() {
		t.Errorf("%v, %v", got, err)
	}
}
