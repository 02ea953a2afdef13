package isa

// A Cost is the work of one instruction for one execution unit.
type Cost struct {
	Unit  string `json:"unit"`            // name of the unit; the set defines the names
	Class string `json:"class,omitempty"` // which of its kinds of work, if chips do some faster than others
	Count int    `json:"count,omitempty"` // operations per thread; the set says what the unit counts; 0: sources count by wave
	Lack  string `json:"lack,omitempty"`  // why there is no count
	Rates []Rate `json:"rates,omitempty"` // of chips of this variant; empty: no source has a figure
}

// A Rate is the peak throughput of a unit: operations per shader core and clock.
type Rate struct {
	Chip     string `json:"chip"`
	PerClock int    `json:"perClock"`
}
