package gcn

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/heddle-gpu/heddle/isa"
)

// laterText lists the mnemonics of later generations.
//
//go:embed later.txt
var laterText string

// later is the first generation after gfx8 with a mnemonic that gfx6 to gfx8 lack.
var later = sync.OnceValue(func() map[string]string {
	names, first := map[string]string{}, ""
	for line := range strings.Lines(laterText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if line[0] != ' ' {
			first, words = words[0], words[1:]
		}
		for _, w := range words {
			names[w] = first
		}
	}
	return names
})

// renamed are parts of mnemonics and their spelling in other generations, CLRX and older manuals.
var renamed = [...][2]string{
	{"_lg_", "_ne_"}, {"_ne_", "_lg_"}, {"_nc_", "_"}, {"_co_", "_"}, {"_co_ci_", "c_"}, {"global_", "flat_"}, {"ds_load_", "ds_read_"}, {"ds_store_", "ds_write_"},
	{"_b32", "_dword"}, {"_b64", "_dwordx2"}, {"_b96", "_dwordx3"}, {"_b128", "_dwordx4"}, {"_b256", "_dwordx8"}, {"_b512", "_dwordx16"},
	{"_u8", "_ubyte"}, {"_i8", "_sbyte"}, {"_b8", "_byte"}, {"_u16", "_ushort"}, {"_i16", "_sshort"}, {"_b16", "_short"}, {"_u32", "_i32"}, {"_i32", "_u32"},
	{"_fmac_", "_mac_"}, {"sub_co_ci_", "subb_"}, {"_addc_co_", "_addc_"}, {"_subb_co_", "_subb_"}, {"_load2_", "_read2_"}, {"_store2_", "_write2_"},
}

// foreign says which generation has a mnemonic that these lack, and what it is called here.
func foreign(t *isa.Target, word, _ string) (msg, hint string) {
	word = strings.ToLower(word)
	base := word
	for _, end := range [...]string{"_e32", "_e64", "_dpp", "_sdwa"} {
		base = strings.TrimSuffix(base, end)
	}
	here := t.Variants[t.Variant].Name
	like := otherName(t, base)
	first := later()[base]
	switch {
	case first == "" && like != "":
		return "", fmt.Sprintf("did you mean %q?", like)
	case first == "":
		return "", ""
	}
	if like != "" {
		hint = fmt.Sprintf("%s has %q", here, like)
	}
	return fmt.Sprintf("%s is not in %s: it came with a later generation, %s", word, here, first), hint
}

// otherName returns a mnemonic of the target that is another spelling of a word, with at most two renamed parts; "":
// there is none.
func otherName(t *isa.Target, word string) string {
	words := []string{word}
	for range 2 {
		var next []string
		for _, w := range words {
			for _, r := range renamed {
				if x := strings.Replace(w, r[0], r[1], 1); x != w && !slices.Contains(next, x) {
					next = append(next, x)
				}
			}
		}
		for _, x := range next {
			if slices.ContainsFunc(t.Rows(x), func(d *isa.Def) bool { return d.InVariant(t.Variant) }) {
				return x
			}
		}
		words = next
	}
	return ""
}

// implied adds vcc where LLVM implies it: to v_cndmask_b32 and to comparisons without DPP and SDWA.
func implied(_ *isa.Target, text string) string {
	line := strings.TrimSpace(text)
	n := isa.WordLen(line)
	name := strings.TrimSuffix(strings.ToLower(line[:n]), "_e32")
	switch commas := strings.Count(line, ","); {
	case name == "v_cndmask_b32" && commas == 2 && !strings.Contains(line, "vcc"):
		return line + ", vcc"
	case strings.HasPrefix(name, "v_cmp") && !strings.HasSuffix(name, "_e64") && !strings.HasSuffix(name, "_sdwa") && commas == 1:
		return line[:n] + " vcc," + line[n:]
	}
	return ""
}
