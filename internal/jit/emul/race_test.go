//go:build race

package emul

// raceEnabled: everything takes ten times as long.
const raceEnabled = true
