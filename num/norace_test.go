//go:build !race

package num

const raceEnabled = false
