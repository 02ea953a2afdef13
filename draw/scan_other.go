//go:build !amd64

package draw

import "github.com/heddle-gpu/heddle/ir"

func hasVectors() bool { return false }

func coverQuads(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int) {
	s.cover(e, quads, lane, lanes)
}

func startQuads(s *scan, x, y, wide, high int) (outside, crossed int) {
	return s.starts(x, y, wide, high)
}

func spansQuads(s *scan, columns, rows int) { s.spans(columns, rows) }

func hasWide() bool { return false }

func coverWide(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int) {
	s.cover(e, quads, lane, lanes)
}

func spansWide(s *scan, columns, rows int) { s.spans(columns, rows) }

const hasQuads = false

// testsQuads and testsWide are unused without hasVectors.
var testsQuads, testsWide [Greater + 1]quadTest

func packQuads(w *waveRows, quads *[ir.MaxLanes / 4]quad, to int, stay, left uint64) (covered uint64) {
	return plainPack(w, quads, to, stay, left)
}

func storeQuads(*[ir.MaxLanes / 4]quad, *byte, int, int, uint64, *[ir.MaxLanes]uint32) {
	panic(noQuads)
}

func paintQuads(*[ir.MaxLanes / 4]quad, *byte, int, int, uint64, *[4][]uint32, bool) {
	panic(noQuads)
}

func storeWide(*[ir.MaxLanes / 4]quad, *byte, int, int, uint64, *[ir.MaxLanes]uint32) { panic(noQuads) }

const noQuads = "draw: there are no functions for quads"
