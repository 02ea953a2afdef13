//go:build race

package launch_test

// raceDetector says that guest memory is watched by the race detector too, to which groups that meet are a race.
const raceDetector = true
