package costs_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/asm"
	"github.com/heddle-gpu/heddle/internal/chips"
	"github.com/heddle-gpu/heddle/internal/costs"
	"github.com/heddle-gpu/heddle/internal/disasm"
	"github.com/heddle-gpu/heddle/internal/sets"
)

// vaUnits are the units of v9 in the table of Mesa's compiler (src/panfrost/compiler/bifrost/valhall/ISA.xml), of the
// instructions of compiled programs: a name is that of all types, or of one.
var vaUnits = map[string]string{
	"fma": "FADD FADD_IMM FADD_LSCALE FMA FMA_RSCALE IDP LDEXP",
	"cvt": `BRANCHZ BRANCHZI CLZ CSEL DISCARD F16_TO_F32 F32_TO_S32 F32_TO_U32 FCMP_AND FCMP_OR FMAX FMIN FREXPE FREXPM FROUND HADD IABS
		IADD IADD_IMM ICMP_AND ICMP_MULTI ICMP_OR ISUB MKVEC MOV NOP S16_TO_F32 S16_TO_S32 S32_TO_F32 S8_TO_F32 S8_TO_S32 SHADDX U16_TO_F32
		U16_TO_U32 U32_TO_F32 U8_TO_F32 U8_TO_U32 V2F32_TO_V2F16 V2S8_TO_V2S16 V2U8_TO_V2U16`,
	"sfu": `BITREV CLPER CUBEFACE1 CUBEFACE2 CUBE_SSEL CUBE_TSEL FCOS_TABLE FEXP FLOGD FRCP FRSQ FSIN_TABLE IMUL IMULD LSHIFT_AND LSHIFT_OR
		LSHIFT_XOR MUX POPCOUNT RSHIFT_AND RSHIFT_OR RSHIFT_XOR`,
	"ls": "ATOM ATOM1_RETURN ATOM_RETURN LD_ATTR LD_ATTR_IMM LD_BUFFER LD_TEX_IMM LEA_ATTR LEA_ATTR_IMM LEA_BUF_IMM LEA_TEX_IMM LOAD STORE ST_CVT",
	"v":  "LD_VAR_BUF LD_VAR_BUF_IMM LD_VAR_SPECIAL",
	"t":  "TEX_FETCH TEX_GATHER TEX_SINGLE",
	"":   "ATEST BARRIER BLEND LD_TILE ST_TILE ZS_EMIT",
}

var (
	vaVector = regexp.MustCompile(`\.v([1-4])\b`)
	vaWide   = regexp.MustCompile(`^(IADD|ISUB|SHADDX)\.[us]64\b`)
	vaShift  = regexp.MustCompile(`^[LR]SHIFT_(AND|OR|XOR)\.i32\b`)
)

// vaPerf adds what va_count_instr_stats counts of an instruction, from its text, and returns whether that is known
// (src/panfrost/compiler/bifrost/valhall/va_perf.c, of 2026). bi_count_write_registers says one word of each arithmetic
// instruction, also of 64 bits, since it knows only those of Bifrost as wider.
func vaPerf(text string, arch int, sum map[string]int) bool {
	full, _, _ := strings.Cut(text, " ")
	name, _, _ := strings.Cut(full, ".")
	unit, known := "", false
	for u, list := range vaUnits {
		for _, n := range strings.Fields(list) {
			if n == name {
				unit, known = u, true
			}
		}
	}
	n := 1
	if arch >= 11 { // va_arch_adjusted_unit and va_instr_exec_time
		switch {
		case strings.HasPrefix(full, "CLPER.i32"):
			unit, n = "cvt", 2
		case strings.HasPrefix(full, "FROUND.f32"):
			unit, n = "fma", 2
		case vaShift.MatchString(full):
			unit = "cvt"
		}
	}
	if unit == "v" {
		if name == "LD_VAR_SPECIAL" && strings.HasSuffix(text, "index:0x3") { // depth
			return known
		}
		components, half := 1, strings.Contains(full, ".f16")
		if m := vaVector.FindStringSubmatch(full); m != nil {
			components = int(m[1][0] - '0')
		}
		if strings.HasPrefix(name, "LD_VAR_BUF") {
			half = strings.Contains(full, ".src_f16") || strings.Contains(full, ".src_flat16")
		}
		if n = components; half {
			n = (components + 1) / 2
		}
	}
	if unit != "" {
		sum[unit] += n
	}
	return known
}

// vaRates are operations a clock of a core, as pan_model.c has them.
var vaRates = map[string]map[string]float64{
	"v9":  {"fma": 32, "cvt": 32, "sfu": 8, "v": 8, "t": 4},
	"v10": {"fma": 64, "cvt": 64, "sfu": 16, "v": 16, "t": 8},
	"v11": {"fma": 128, "cvt": 64, "sfu": 16, "v": 32, "t": 8},
	"v13": {"fma": 128, "cvt": 128, "sfu": 16, "v": 32, "t": 8},
}

// A vaProgram is a program with the text of Mesa's disassembler.
type vaProgram struct {
	Name string
	ISA  string
	Asm  []string
}

// vaPrograms reads the programs that Mesa compiled.
func vaPrograms(t *testing.T) (list []vaProgram) {
	t.Helper()
	for _, name := range []string{"valhall-compiled", "valhall-unit"} {
		f, err := os.Open("../../cases/state/" + name + ".jsonl.gz")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewReader(z); ; {
			line, err := s.ReadBytes('\n')
			if err != nil {
				break
			}
			var p vaProgram
			if err := json.Unmarshal(line, &p); err != nil {
				t.Fatal(err)
			}
			if len(p.Asm) > 0 {
				list = append(list, p)
			}
		}
	}
	return list
}

// TestVaPerf: of programs that Mesa compiled, the model counts for each unit what Mesa's va_perf does, with two
// differences. Results of 64 bits count twice, as in its newer compiler (kraid, stats.rs). CLZ is of sfu, as in Arm's
// table of encodings, and not of cvt.
func TestVaPerf(t *testing.T) {
	programs := vaPrograms(t)
	for variant, agree := range map[string]string{"v9": "97 of 111", "v10": "97 of 111", "v11": "66 of 74", "v13": "66 of 74"} {
		target, err := sets.Lookup("valhall:" + variant)
		if err != nil {
			t.Fatal(err)
		}
		arch := 0
		fmt.Sscanf(variant, "v%d", &arch)
		compared, same, lost := 0, 0, 0
		for _, p := range programs {
			a, errs := asm.Assemble(target, []byte(strings.Join(p.Asm, "\n")), asm.Options{File: "x.s"})
			if len(errs) > 0 { // it has an instruction that the architecture has not
				lost++
				continue
			}
			chip, err := chips.Named(a.Target.FullName(), "")
			if err != nil {
				t.Fatal(err)
			}
			code := &disasm.Code{Target: a.Target, Pieces: []disasm.Piece{{Code: a.Code, Base: a.Base}}, Symbols: a.Labels}
			got, want, other := vaCounts(t, costs.Code(code, chip, 1, code.Name), p, variant, arch)
			if !other {
				same++
			}
			if compared++; !maps.Equal(got, want) {
				t.Errorf("%s of %s: %v, Mesa %v", p.Name, variant, got, want)
			}
		}
		if got := fmt.Sprintf("%d of %d", same, compared); got != agree {
			t.Errorf("%s: %s programs have neither difference, want %s; %d do not assemble", variant, got, agree, lost)
		}
	}
}

// vaCounts returns what the model counts of a program, and what va_perf does but for the differences, and whether there
// are any.
func vaCounts(t *testing.T, r *costs.Report, p vaProgram, variant string, arch int) (got, want map[string]int, other bool) {
	t.Helper()
	got, want = map[string]int{}, map[string]int{}
	reached := 0
	for i := range r.Blocks {
		b := &r.Blocks[i]
		if len(b.Of) > 0 {
			continue
		}
		for _, in := range b.Insts {
			if reached++; in.Units[0] == "ls" {
				got["ls"]++
			}
		}
		for _, u := range b.Units {
			rate := vaRates[variant][u.Name]
			if n := u.Clocks * rate / 16; rate == 0 || math.Abs(n-math.Round(n)) > 1e-9 {
				t.Errorf("%s of %s: %g clocks of %s", p.Name, variant, u.Clocks, u.Name)
			} else {
				got[u.Name] += int(math.Round(n))
			}
		}
	}
	if reached != len(p.Asm) {
		t.Errorf("%s of %s: %d instructions of %d are modelled", p.Name, variant, reached, len(p.Asm))
	}
	for _, text := range p.Asm {
		if !vaPerf(text, arch, want) {
			t.Errorf("%s: no unit is known of %s", p.Name, text)
		}
		switch name, _, _ := strings.Cut(text, " "); {
		case vaWide.MatchString(name):
			want["cvt"]++
		case strings.HasPrefix(name, "IMULD."):
			want["sfu"]++
		case strings.HasPrefix(name, "CLZ."):
			want["cvt"]--
			want["sfu"]++
		default:
			continue
		}
		other = true
	}
	maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
	return got, want, other
}
