package bench

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// register matches a register or constant in Rogue's text; the other expression matches the lengths of a group and its
// maps.
var (
	register = regexp.MustCompile(`\b(r|vi|sh|sc)\d+\b`)
	lengths  = regexp.MustCompile(`\.(form|pad)\([^)]*\)`)
)

// distinct returns the groups of Rogue's programs, each several times with other registers, all distinct.
func distinct(b *testing.B, times int) []*group {
	var p isa.Printer
	var texts []string
	var target *isa.Target
	for i, c := range corpora {
		if c.set().Name == "rogue" && c.name == "programs" {
			eachOf(b, groupsOf(b, i), func(g *group, bundle *isa.Bundle) {
				target = g.target
				texts = append(texts, lengths.ReplaceAllString(string(appendText(&p, nil, g, bundle)), ""))
			})
		}
	}
	r, all, met := rand.New(rand.NewPCG(14, 11)), &group{target: target}, map[string]bool{}
	var bundle isa.Bundle
	for range times {
		for _, text := range texts {
			text = register.ReplaceAllStringFunc(text, func(name string) string {
				return fmt.Sprint(strings.TrimRight(name, "0123456789"), r.IntN(120))
			})
			if target.Parse(text, 0, &bundle) != nil { // a range of registers that ends before its first
				continue
			}
			code, err := bundle.Encode(nil)
			if err != nil {
				b.Fatal(err)
			}
			if !met[string(code)] {
				all.code, met[string(code)] = append(all.code, code...), true
			}
		}
	}
	if len(met) < 10*times {
		b.Fatalf("%d groups", len(met))
	}
	return []*group{all}
}

// BenchmarkDistinctDecodePrint is BenchmarkSetDecodePrint for distinct groups, because Rogue caches what groups have in
// common.
func BenchmarkDistinctDecodePrint(b *testing.B) {
	groups := distinct(b, 40)
	var p isa.Printer
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n += eachOf(b, groups, func(g *group, bundle *isa.Bundle) { buf = appendText(&p, buf[:0], g, bundle) })
	}
	rate(b, n, "instructions/s")
}
