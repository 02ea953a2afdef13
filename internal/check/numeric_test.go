package check

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/heddle-gpu/heddle/internal/cases"
	"github.com/heddle-gpu/heddle/internal/engines"
	"github.com/heddle-gpu/heddle/isa"
	"github.com/heddle-gpu/heddle/sanitize"
)

// realNumbers are the kernels that make NaNs or infinities, or convert out of range, and mean it.
var realNumbers = map[string]string{
	"fdiv_exact": "divides zeros, infinities and NaNs of its table",
	"half_arith": "adds halves up to the largest one",
	"trig_f32":   "the exponential of numbers beyond 88",
	"vop3_bytes": "v_cvt_pk_u8_f32 of negative numbers",
	"vop3_float": "v_cvt_pkrtz_f16_f32 of 100000",
}

// TestNumeric: compiled kernels make no NaN and no infinity that matters, and no conversion out of range, but for those
// that test it.
func TestNumeric(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	e, err := engines.Lookup(engines.Auto, engines.Use{})
	if err != nil {
		t.Fatal(err)
	}
	found, ran := watching(t, filepath.Join(cases.Dir(t), "kernels"), "", Options{Engine: e, Sanitize: sanitize.CheckNumeric, FailOn: isa.SeverityWarning})
	missed := maps.Clone(realNumbers)
	for name, what := range found {
		kernel, _, _ := strings.Cut(name, " ")
		if delete(missed, kernel); realNumbers[kernel] == "" {
			t.Errorf("%s: %s", name, what)
		}
	}
	if len(missed) > 0 || ran < 20 {
		t.Errorf("%d programs ran; nothing is found in %v", ran, slices.Sorted(maps.Keys(missed)))
	}
}
