//go:build race

package emit

// raceEnabled: everything takes ten times as long.
const raceEnabled = true
