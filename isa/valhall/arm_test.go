package valhall

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// Tests of the rows against Arm's own table of encodings: testdata/arm-forms.tsv.gz and arm-enums.tsv.gz.

// An armForm is a form of an instruction in Arm's table.
type armForm struct {
	name, unit, alias string
	since, until      int
	mask, value       uint64
	fields            []armField
	ignored, zero     uint64 // bits that hardware ignores, and bits that must be 0
}

// An armField is a field of a form: its position, and its values to test, the default first; all values if they are
// listed.
type armField struct {
	name   string
	lo, n  int
	values []uint64
	listed bool
	number string // how it is computed from others; "": it is not
	unit   uint64 // values are multiples of it; 0: unit 1
}

// tableLines are the lines of a table, in columns, without comments.
func tableLines(t *testing.T, name string) (lines [][]string) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	s := bufio.NewScanner(z)
	for s.Buffer(nil, 1<<20); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "#") {
			lines = append(lines, strings.Split(s.Text(), "\t"))
		}
	}
	if s.Err() != nil || len(lines) == 0 {
		t.Fatal(name, s.Err())
	}
	return lines
}

// An armEnum is the values of a field kind in a range of architectures.
type armEnum struct {
	since, until int
	names        []string
	values       map[string]uint64
}

func armEnums(t *testing.T) map[string][]armEnum {
	enums := map[string][]armEnum{}
	for _, c := range tableLines(t, "arm-enums.tsv.gz") {
		e := armEnum{since: atoi(t, c[1]), until: atoi(t, c[2]), values: map[string]uint64{}}
		text, _, _ := strings.Cut(c[3], " (")
		prefix, list, ok := strings.Cut(text, "{") // primary_{r=1,g=2}
		if !ok {
			prefix, list = "", text
		}
		for _, item := range strings.FieldsFunc(list, func(r rune) bool { return r == ' ' || r == ',' || r == '}' }) {
			name, v, _ := strings.Cut(item, "=")
			n, err := strconv.ParseUint(v, 10, 64)
			if err != nil {
				continue // constants, which are not field values
			}
			e.names, e.values[prefix+name] = append(e.names, prefix+name), n
		}
		if _, many, ok := strings.Cut(c[3], "…"); ok && strings.Contains(many, "32*(n+1)") { // one for each number of words
			e.names = nil
			for n := range uint64(NumR) {
				name := "i" + strconv.FormatUint(32*(n+1), 10)
				e.names, e.values[name] = append(e.names, name), n
			}
		}
		enums[c[0]] = append(enums[c[0]], e)
	}
	return enums
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var (
	armFieldText = regexp.MustCompile(`(\.?\w+):(\d+)\+(\d+)(?::(\w+))?(?:~(\w+)\((\d+)\))?(?:\?(\w+))?(\{[^}]*\})?(=\S+)?`)
	armRest      = regexp.MustCompile(`(ignore|zero)@(\d+)\+(\d+)`)
)

// movedToCVT are forms whose unit a later edition of the table corrects: isa-v9-v14.xml of commit 2922c248 has them in
// cvt from v11 on.
var movedToCVT = regexp.MustCompile(`^(CLPER|A?[LR]SHIFT_(AND|OR|XOR)\.i32)$`)

// armForms are the forms of an architecture, without those that are only spellings of others.
func armForms(t *testing.T, arch int) (list []armForm) {
	enums := armEnums(t)
	for _, c := range tableLines(t, "arm-forms.tsv.gz") {
		f := armForm{name: c[0], since: atoi(t, c[1]), until: atoi(t, c[2]), unit: c[3], alias: c[4]}
		if arch < f.since || arch > f.until || f.alias != "-" {
			continue
		}
		if arch >= 11 && movedToCVT.MatchString(f.name) {
			f.unit = "cvt"
		}
		for i, to := range []*uint64{&f.mask, &f.value} {
			v, err := strconv.ParseUint(c[5+i], 0, 64)
			if err != nil {
				t.Fatal(c)
			}
			*to = v
		}
		for _, m := range armFieldText.FindAllStringSubmatch(c[7], -1) {
			f.fields = append(f.fields, fieldOf(t, m, enums, arch))
		}
		for _, m := range armRest.FindAllStringSubmatch(c[8], -1) {
			to := map[string]*uint64{"ignore": &f.ignored, "zero": &f.zero}[m[1]]
			*to |= (1<<atoi(t, m[3]) - 1) << atoi(t, m[2])
		}
		list = append(list, f)
	}
	return list
}

// fieldOf parses a field of the table: name, position, width, kind, unit of its values, default, the only values, the
// fixed one.
func fieldOf(t *testing.T, m []string, enums map[string][]armEnum, arch int) armField {
	t.Helper()
	f := armField{name: strings.TrimPrefix(m[1], "."), lo: atoi(t, m[2]), n: atoi(t, m[3])}
	fixed := m[9] != "" && !strings.HasPrefix(m[9], "=expr")
	var e *armEnum
	for i := range enums[m[4]] {
		if r := &enums[m[4]][i]; arch >= r.since && arch <= r.until {
			e = r
		}
	}
	switch {
	case fixed:
		return f // part of the form's fixed bits
	case e != nil && m[8] != "":
		for _, name := range strings.Fields(strings.Trim(m[8], "{}")) {
			f.values = append(f.values, e.values[name])
		}
	case e != nil:
		for _, name := range e.names {
			f.values = append(f.values, e.values[name])
		}
	case strings.HasPrefix(m[4], "src") || strings.HasPrefix(m[0], "src"):
		f.values = []uint64{2, 66, 130, 192, 0xc2}
	default:
		unit := uint64(1)
		if m[5] == "align" {
			unit = uint64(atoi(t, m[6]))
			f.unit = unit
		}
		most := uint64(1)<<f.n - 1
		if strings.HasPrefix(f.name, "staging_register") {
			most -= maxStaging // a group ends with the last register
		}
		f.values = []uint64{0, unit, most / 2 / unit * unit, most / unit * unit}
	}
	f.listed = e != nil
	f.number = strings.TrimSuffix(strings.TrimPrefix(m[9], "=expr("), ")")
	if e != nil && m[7] != "" {
		d := e.values[m[7]]
		f.values = append([]uint64{d}, slices.DeleteFunc(f.values, func(v uint64) bool { return v == d })...)
	}
	return f
}

// base is the word of a form with each field at its default; its staging registers are few and start at an even one.
func (f *armForm) base() uint64 {
	w := f.value
	for _, field := range f.fields {
		if len(field.values) > 0 {
			w |= field.values[0] << field.lo
		}
	}
	return f.counted(w)
}

// TestArmTable checks that each form of Arm's table decodes, for each value of each field, to a single row that claims
// all bits of the word and has its unit, and that its text assembles to the word.
func TestArmTable(t *testing.T) {
	for v, variant := range Set().Variants {
		forms := armForms(t, firstArch+v)
		if len(forms) < 250 {
			t.Fatalf("%s: %d forms", variant.Name, len(forms))
		}
		tg, words := Set().At(v, 0), 0
		for i := range forms {
			f := &forms[i]
			base := f.base()
			var in isa.Inst
			if err := tg.Decode(wordOf(base), 0, &in); err == nil && Unit(&in) != f.unit {
				t.Errorf("%s %s: unit %s, and here %s", variant.Name, f.name, f.unit, Unit(&in))
			}
			for _, field := range append([]armField{{name: "base", values: []uint64{0}}}, f.fields...) {
				mask := (uint64(1)<<field.n - 1) << field.lo
				for _, value := range field.values {
					words++
					w := base&^mask | value<<field.lo
					if msg := comesBack(tg, w); msg != "" {
						t.Errorf("%s %s: %s = %d: %016x: %s", variant.Name, f.name, field.name, value, w, msg)
					}
				}
			}
			for rest := f.ignored; rest != 0; rest &= rest - 1 { // a bit that hardware ignores
				if err := tg.Decode(wordOf(base|rest&-rest), 0, &in); err != nil || in.Unclaimed() != "" {
					t.Errorf("%s %s: bit %#x is ignored by the hardware: %v", variant.Name, f.name, rest&-rest, err)
				}
			}
		}
		t.Logf("%s: %d forms, %d words", variant.Name, len(forms), words)
	}
}

// armWords is the number of random words per architecture: a million if HEDDLE_ARM_WORDS asks for it.
func armWords(t *testing.T) int {
	t.Helper()
	n := 40_000
	if testing.Short() {
		n = 4000
	}
	if text := os.Getenv("HEDDLE_ARM_WORDS"); text != "" {
		n = atoi(t, text)
	}
	return n
}

// random is a word of a form with random values that the table allows.
func (f *armForm) random(r *rand.Rand) uint64 {
	w := f.value
	for _, field := range f.fields {
		if len(field.values) == 0 {
			continue
		}
		v := field.values[r.IntN(len(field.values))]
		switch {
		case strings.HasPrefix(field.name, "src"): // special values depend on the page
			v = r.Uint64N(firstSpecial)
		case strings.HasPrefix(field.name, "imm") || field.name == "offset":
			v = r.Uint64() >> (64 - field.n)
		}
		w |= v << field.lo
	}
	return w
}

// TestArmWords checks that random words of all forms of all architectures decode, and that their texts assemble to
// them.
func TestArmWords(t *testing.T) {
	for v, variant := range Set().Variants {
		forms, tg, bad := armForms(t, firstArch+v), Set().At(v, 0), 0
		r := rand.New(rand.NewPCG(uint64(v), 9))
		for i := range armWords(t) {
			f := &forms[i%len(forms)]
			w := f.random(r)
			if msg := comesBack(tg, w); msg != "" {
				if bad++; bad > 10 {
					t.Fatal("and more")
				}
				t.Errorf("%s %s: %016x: %s", variant.Name, f.name, w, msg)
			}
		}
	}
}

func wordOf(w uint64) []byte {
	return []byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24), byte(w >> 32), byte(w >> 40), byte(w >> 48), byte(w >> 56)}
}

// comesBack describes how a word does not decode, or its text does not assemble to it.
func comesBack(tg *isa.Target, w uint64) string {
	var b, back isa.Bundle
	if err := tg.DecodeBundle(wordOf(w), 0, &b); err != nil {
		return err.Error()
	}
	in := &b.Parts[0]
	if msg := in.Unclaimed(); msg != "" {
		return msg
	}
	text := string(tg.Print(nil, &b))
	if err := tg.Parse(text, 0, &back); err != nil {
		return text + ": " + err.Error()
	}
	if canon := in.Canon(); back.Parts[0].Word != canon.Word && (tg.Dialect == 0 || back.Parts[0].Word != in.Word) {
		return fmt.Sprintf("%s assembles to %016x", text, back.Parts[0].Word.Lo)
	}
	return ""
}
