package draw

import (
	"github.com/heddle-gpu/heddle/internal/jit/cpu"
	"github.com/heddle-gpu/heddle/ir"
)

// hasVectors reports whether the processor has the instructions of coverQuads and spansQuads.
func hasVectors() bool { return cpu.Host().Has(cpu.AVX2 | cpu.FMA) }

// coverQuads is scan.cover.
//
//go:noescape
func coverQuads(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int)

// startQuads is scan.starts.
//
//go:noescape
func startQuads(s *scan, x, y, wide, high int) (outside, crossed int)

// spansQuads is scan.spans.
//
//go:noescape
func spansQuads(s *scan, columns, rows int)

// hasWide reports whether the processor has the instructions of coverWide.
func hasWide() bool { return cpu.Host().Has(cpu.Level512) }

// coverWide is also scan.cover.
//
//go:noescape
func coverWide(s *scan, e *[3][ir.MaxLanes]float32, quads *[ir.MaxLanes / 4]quad, lane, lanes int)

// spansWide is also scan.spans.
//
//go:noescape
func spansWide(s *scan, columns, rows int)

// hasQuads says whether there is storeQuads.
const hasQuads = true

// Each is painter.test for one comparison, for quads whose pixels are all in the canvas, on processors with
// hasVectors.
//
//go:noescape
func testAlways(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testNever(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testLess(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testLessEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testNotEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testGreaterEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func testGreater(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

// testsQuads are those, by comparison.
var testsQuads = [...]quadTest{Always: testAlways, Never: testNever, Less: testLess, LessEqual: testLessEqual, Equal: testEqual, NotEqual: testNotEqual, GreaterEqual: testGreaterEqual, Greater: testGreater}

// storeQuads writes the pixels of lanes whose quads are all in the canvas, and packQuads is plainPack. Every amd64
// processor has their instructions.
//
//go:noescape
func packQuads(w *waveRows, quads *[ir.MaxLanes / 4]quad, to int, stay, left uint64) (covered uint64)

//go:noescape
func storeQuads(quads *[ir.MaxLanes / 4]quad, color *byte, width, to int, lanes uint64, pixels *[ir.MaxLanes]uint32)

// paintQuads is byteRow and then storeQuads, on processors with hasVectors.
//
//go:noescape
func paintQuads(quads *[ir.MaxLanes / 4]quad, color *byte, width, to int, lanes uint64, channels *[4][]uint32, truncate bool)

// storeWide is storeQuads, and each of these one of testsQuads, on processors with hasWide.
//
//go:noescape
func storeWide(quads *[ir.MaxLanes / 4]quad, color *byte, width, to int, lanes uint64, pixels *[ir.MaxLanes]uint32)

//go:noescape
func wideAlways(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideNever(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideLess(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideLessEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideNotEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideGreaterEqual(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

//go:noescape
func wideGreater(quads *[ir.MaxLanes / 4]quad, z *[ir.MaxLanes]float32, depth *float32, width, from, to int, lanes uint64, write bool) (passed uint64)

// testsWide are those, by comparison.
var testsWide = [...]quadTest{Always: wideAlways, Never: wideNever, Less: wideLess, LessEqual: wideLessEqual, Equal: wideEqual, NotEqual: wideNotEqual, GreaterEqual: wideGreaterEqual, Greater: wideGreater}
