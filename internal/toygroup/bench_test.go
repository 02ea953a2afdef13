package toygroup

import (
	"testing"

	"github.com/heddle-gpu/heddle/isa"
)

// BenchmarkPrint prints groups in both dialects; one op is one group.
func BenchmarkPrint(b *testing.B) {
	for dialect, name := range Arch().Dialects {
		b.Run(name, func(b *testing.B) {
			tg := in(b, dialect)
			bundles := make([]isa.Bundle, len(groups))
			for i, g := range groups {
				if err := tg.Parse([]string{g.brief, g.lines}[dialect], 0, &bundles[i]); err != nil {
					b.Fatal(err)
				}
			}
			buf := make([]byte, 0, 256)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				buf = tg.Print(buf[:0], &bundles[i%len(bundles)])
			}
		})
	}
}
