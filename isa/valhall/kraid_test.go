package valhall

import (
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// kraidForm is a form of Arm's table as kraid's decoder treats it: the decoder selects the form that fixes most bits,
// and prints its name and the modifiers in the table's order, except values named none.
type kraidForm struct {
	armForm
	mods []kraidMod
}

type kraidMod struct {
	name, kind string
	lo, n      int
	text       string // of a modifier with constant text
}

// virtual are forms with modifiers that kraid computes from several fields: the table does not have these texts.
var virtual = regexp.MustCompile(`^(VAR_TEX|TEX_DUAL|LD_VAR|LOAD|LD_PKA|LD_CHECKED|ST_CHECKED)|^(LD|ST)_MULTI`)

// kraidForms are the forms of an architecture, including spellings of others.
func kraidForms(t *testing.T, arch int, enums map[string][]armEnum) (list []kraidForm) {
	for _, c := range tableLines(t, "arm-forms.tsv.gz") {
		if arch < atoi(t, c[1]) || arch > atoi(t, c[2]) {
			continue
		}
		f := kraidForm{armForm: armForm{name: c[0], alias: c[4], mask: parseHex(t, c[5]), value: parseHex(t, c[6])}}
		var slot, rest []kraidMod
		for _, m := range armFieldText.FindAllStringSubmatch(c[7], -1) {
			f.fields = append(f.fields, fieldOf(t, m, enums, arch))
			if !strings.HasPrefix(m[1], ".") {
				continue
			}
			mod := kraidMod{name: m[1], kind: m[4], lo: atoi(t, m[2]), n: atoi(t, m[3])}
			if m[9] != "" && !strings.HasPrefix(m[9], "=expr") {
				mod.text = strings.TrimPrefix(m[9], "=")
			}
			if m[1] == ".message_slot_index" {
				slot = append(slot, mod)
			} else {
				rest = append(rest, mod)
			}
		}
		flow := kraidMod{name: ".flow", kind: "flow_control_m", lo: 59, n: 4}
		f.mods = append(append(slot, flow), rest...)
		list = append(list, f)
	}
	return list
}

func parseHex(t *testing.T, s string) (v uint64) {
	t.Helper()
	for _, c := range strings.TrimPrefix(s, "0x") {
		v = v<<4 | uint64(strings.IndexRune("0123456789abcdef", c))
	}
	return v
}

// head is what kraid prints before the operands; ok reports whether all values have names.
func (f *kraidForm) head(enums map[string][]armEnum, arch int, w uint64) (text string, ok bool) {
	text = f.name
	for _, m := range f.mods {
		name := m.text
		if name == "" {
			v := w >> m.lo & (1<<m.n - 1)
			for _, e := range enums[m.kind] {
				if arch < e.since || arch > e.until {
					continue
				}
				for n, value := range e.values {
					if value == v {
						name = n
					}
				}
			}
		}
		if name == "" {
			return "", false
		}
		if name != "none" {
			text += "." + name
		}
	}
	return text, true
}

// TestKraidHeads checks mnemonics and modifiers of random words of all forms, in all architectures, against kraid's
// decoding by Arm's table.
func TestKraidHeads(t *testing.T) {
	enums := armEnums(t)
	for v, variant := range Set().Variants {
		arch := firstArch + v
		forms, tg := kraidForms(t, arch, enums), targetIn(t, variant.Name, Kraid)
		r, n, bad := rand.New(rand.NewPCG(uint64(v), 3)), 0, 0
		for i := range min(armWords(t), 40_000) {
			w := forms[i%len(forms)].random(r)
			best := &forms[0]
			for k := range forms {
				if f := &forms[k]; w&f.mask == f.value && (w&best.mask != best.value || bits.OnesCount64(f.mask) > bits.OnesCount64(best.mask)) {
					best = f
				}
			}
			want, ok := best.head(enums, arch, w)
			var b isa.Bundle
			reserved := slices.ContainsFunc(best.fields, func(x armField) bool { return x.listed && !slices.Contains(x.values, w>>x.lo&(1<<x.n-1)) })
			if virtual.MatchString(best.name) || reserved || !ok || tg.DecodeBundle(wordOf(w), 0, &b) != nil || b.Parts[0].Unclaimed() != "" {
				continue
			}
			got, _, _ := strings.Cut(string(tg.Print(nil, &b)), " ")
			if strings.Contains(want, "FMUL.") || strings.Contains(want, "F32_TO_F16") { // the zero has the neutral sign; else kraid's text is that of another word
				if !strings.HasPrefix(got, strings.SplitN(want, ".", 2)[0]) {
					continue
				}
			}
			got = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(got, ".f"), ".u"), ".s") // kraid ignores the type of a result
			if n++; got != want {
				if bad++; bad < 25 {
					t.Errorf("%s: %016x: %s, want %s", variant.Name, w, got, want)
				}
			}
		}
		if n < 1500 || bad > 0 {
			t.Errorf("%s: %d words, %d wrong", variant.Name, n, bad)
		}
	}
}
