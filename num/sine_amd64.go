//go:build !heddle_softfloat

package num

import "github.com/heddle-gpu/heddle/internal/jit/cpu"

// hasSine reports whether the processor has the instructions of sineRows.
func hasSine() bool { return cpu.Host().Has(cpu.Level2) }

// sineRows is plainSines, four lanes at a time.
//
//go:noescape
func sineRows(d, a *[64]uint64, n int, quarters float64, t *sineTable) (ok uint64)
