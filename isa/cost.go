package isa

// A Cost is work that an instruction gives a part of the chip.
type Cost struct {
	Unit  string `json:"unit"`            // as the set names what does the work
	Count int    `json:"count,omitempty"` // of one thread, in what the unit counts
	Lack  string `json:"lack,omitempty"`  // why there is no count
	Rates []Rate `json:"rates,omitempty"` // of chips that run the code; none: no source has a figure
}

// A Rate is how much of a unit's work a core of a chip does in a clock at most.
type Rate struct {
	Chip     string `json:"chip"`
	PerClock int    `json:"perClock"`
}
