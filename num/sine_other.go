//go:build !amd64 && !heddle_softfloat

package num

func hasSine() bool { return false }

func sineRows(d, a *[64]uint64, n int, quarters float64, t *sineTable) (ok uint64) {
	return plainSines(d, a, n, quarters)
}
