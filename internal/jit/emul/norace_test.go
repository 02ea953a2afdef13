//go:build !race

package emul

const raceEnabled = false
