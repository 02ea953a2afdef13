package exectest

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec"
)

// Test runs all conformance tests on the engine.
func Test(t *testing.T, e exec.Engine) {
	for _, c := range []struct {
		name string
		test func(*testing.T, exec.Engine)
	}{
		{"pure", testPure},
		{"cross", testCross},
		{"scope", testScope},
		{"cells", testCells},
		{"range", testRange},
		{"total", testTotal},
		{"gather", testGather},
		{"access", testAccess},
		{"atomics", testAtomics},
		{"spaces", testSpaces},
		{"windows", testWindows},
		{"faults", testFaults},
		{"robust", testRobust},
		{"permits", testPermits},
		{"bounds", testBounds},
		{"miss pages", testMissPages},
		{"miss device", testMissDevice},
		{"padding", testPadding},
		{"wave load", testWaveLoad},
		{"textures", testTextures},
		{"texture units", testUnits},
		{"images", testImages},
		{"streams", testStreams},
		{"handles", testHandles},
		{"inputs", testIO},
		{"outputs of four", testOutputs},
		{"steady inputs", testSteady},
		{"no inputs", testNoIO},
		{"stops", testStops},
		{"serial", testSerial},
		{"probes", testProbes},
		{"probes of series", testSeries},
		{"tallies", testTallies},
		{"barriers", testBarriers},
		{"waves together", testCrew},
		{"programs named", testRuns},
		{"groups one after another", testGroups},
		{"budget", testBudget},
		{"yields", testYields},
		{"traps", testTraps},
		{"limits", testLimits},
		{"mask stack", testMaskStack},
		{"ended lanes in the mask", testWoken},
		{"lowest pc", testLowestPC},
		{"control paths", testPaths},
		{"control faults", testControlFaults},
		{"structured programs", testStructured},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, e) })
	}
}
