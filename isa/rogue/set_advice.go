package rogue

import (
	"fmt"
	"strings"

	"github.com/heddle-gpu/heddle/isa"
)

// advise returns a replacement for text that no row accepts.
func advise(s *isa.Scan, _ *isa.Def, e *isa.Error) string {
	at := e.Col - 1
	for n := range 6 {
		if !strings.HasSuffix(e.Msg, fmt.Sprintf(" where s%d is expected", n)) || at < 0 || at >= len(s.Line) {
			continue
		}
		look := isa.Scan{Target: s.Target}
		look.Reset(s.Line[at:], 0)
		if _, _, ok := readReg(&look); ok {
			return fmt.Sprintf("a group says its sources apart: s%d here, and s%d=%s behind the instructions", n, n, look.Line[:look.Pos])
		}
	}
	return ""
}
