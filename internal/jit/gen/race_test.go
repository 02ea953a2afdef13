//go:build race

package gen

// raceEnabled: everything takes ten times as long.
const raceEnabled = true
