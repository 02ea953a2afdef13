package casefile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLookLinear: the time to look at an object is linear in the number of its keys, not quadratic: 200 000 of them
// once took 12 s.
func TestLookLinear(t *testing.T) {
	for name, key := range map[string]func(i int) string{"all different": func(i int) string { return fmt.Sprint("k", i) }, "all the same": func(int) string { return "name" }} {
		var b strings.Builder
		b.WriteString("{")
		const keys = 200_000
		for i := range keys {
			fmt.Fprintf(&b, "%q:0,", key(i))
		}
		b.WriteString(`"end":0}`)
		for _, text := range []string{b.String(), "[" + b.String() + "]"} {
			begin := time.Now()
			h := Look(strings.NewReader(text))
			if took := time.Since(begin); took > 4*time.Second || len(h.Keys) != keys+1 || h.Err != nil {
				t.Errorf("%s: %d keys in %v, %v", name, len(h.Keys), took, h.Err)
			}
		}
	}
}
