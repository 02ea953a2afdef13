package console

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/heddle-gpu/heddle/debug"
)

// hottest is how many instructions counts prints.
const hottest = 10

// doCounts begins to count, or prints the instructions that ran most, or stops counting.
func (c *Console) doCounts(rest string) (bool, error) {
	if rest == "off" {
		c.run.StopCounting()
		return false, nil
	}
	n, err := number(rest, hottest)
	if err != nil {
		return false, err
	}
	if err := c.startCounting(); err != nil {
		return false, err
	}
	code := c.here().code
	counts := c.run.Counts(code)
	list := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(list, func(a, b uint64) int { return cmp.Compare(counts[b].Waves, counts[a].Waves) })
	if len(list) == 0 {
		c.printf("no instruction has run\n")
		return false, nil
	}
	c.printf("  %s\n", countHead)
	for _, pc := range list[:min(int(n), len(list))] {
		c.printf("  %s %#06x  %s\n", columns(counts[pc]), code.Place(pc).Addr, code.Text(pc))
	}
	if more := len(list) - int(n); more > 0 {
		c.printf("  %d more have run; disassemble and list print counts, too\n", more)
	}
	return false, nil
}

// startCounting makes the session count. The run repeats what it has done, and what is selected stays so.
func (c *Console) startCounting() error {
	wave, frame, ended, list := c.wave, c.frame, c.ended, c.list
	if !c.run.StartCounting() {
		return nil
	}
	e := <-c.events
	switch {
	case e.halt == nil && ended:
		return nil
	case e.halt == nil:
		c.over(e.err)
		return errOver
	}
	c.stopped0(e.halt)
	if wave != nil { // nil: after the end, to which the run has not come again
		if w := c.run.WaveOf(wave.ID); w != nil {
			c.wave, c.frame = w, frame
		}
	}
	c.list = list
	return nil
}

const countHead = "    WAVES     LANES"

// columns returns the columns of counts in listings: blank for what has not run.
func columns(n debug.Count) string {
	if n.Waves == 0 {
		return fmt.Sprintf("%*s", len(countHead), "")
	}
	return fmt.Sprintf("%9d %9d", n.Waves, n.Lanes)
}

// beside returns the columns of an instruction or line if the session counts, and a blank behind.
func (c *Console) beside(n debug.Count) string {
	if !c.run.Counting() {
		return ""
	}
	return columns(n) + " "
}
