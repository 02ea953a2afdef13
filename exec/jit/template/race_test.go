//go:build race

package template

// raceEnabled: everything takes ten times as long.
const raceEnabled = true
