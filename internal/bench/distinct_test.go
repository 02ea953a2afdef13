package bench

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// register is a register, or constant, of Rogue as text names it, and what names the length of a group and of its maps.
var (
	register = regexp.MustCompile(`\b(r|vi|sh|sc)\d+\b`)
	lengths  = regexp.MustCompile(`\.(form|pad)\([^)]*\)`)
)

// distinct is the groups of Rogue's programs, each as many times with other registers, no two of them alike.
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
			if target.Parse(text, 0, &bundle) != nil { // a range of registers that ends in front of its first
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

// BenchmarkDistinctDecodePrint is BenchmarkSetDecodePrint of groups that differ, for Rogue remembers what groups have in common.
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
