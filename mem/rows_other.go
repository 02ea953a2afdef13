//go:build !amd64

package mem

// Only amd64 has functions for rows of lanes; elsewhere samples run quad by quad.

func hasRows() bool { return false }

func logRows(*logs, *[rowLanes]uint32, *[rowLanes]uint32, float32, float32, float32, uint64) {
	panic(noRows)
}

func alongRows(*places, *steps, *[rowLanes]uint32, uint64) (odd uint64) { panic(noRows) }

func nearestRows(*[4][rowLanes]uint32, *byte, uint32, *places, *places, *[rowLanes]float32, uint64) {
	panic(noRows)
}

func fourRows(*[4][rowLanes]uint32, *byte, uint32, uint32, *places, *places, *[rowLanes]float32, uint64, int, uint32, bool) {
	panic(noRows)
}

func viewRows(*views, *logs, *limits, *[rowLanes]float32, uint64) { panic(noRows) }

func hasWideRows() bool { return false }

func logWide(*logs, *[rowLanes]uint32, *[rowLanes]uint32, float32, float32, float32, uint64) {
	panic(noRows)
}

func alongWide(*places, *steps, *[rowLanes]uint32, uint64) (odd uint64) { panic(noRows) }

func fourWide(*[4][rowLanes]uint32, *byte, uint32, uint32, *places, *places, *[rowLanes]float32, uint64) {
	panic(noRows)
}

func viewWide(*views, *logs, *limits, *[rowLanes]float32, uint64) { panic(noRows) }

const noRows = "mem: there are no functions for rows"
