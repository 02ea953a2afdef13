package tesla

import "github.com/heddle-gpu/heddle/isa"

// Options by index.
const (
	optRegisters = iota // registers of the program
	optZero             // whether a product with a zero factor is +0
	optSatNaN           // the result of saturating a NaN
	optQuadOut          // the result of quadop in lanes that only fragments have
	optBarrier          // the unit of the number of bar
)

// Values of options by index.
const (
	zeroWins     = 1
	barrierWarps = 1
	satZero      = 1
	quadOutInf   = 1
)

// choiceBarrier is an option that a row can name.
const choiceBarrier = "barrier-count"

// Options with a single value: choices where sources are silent. docs/reference/tesla.md 12.
const (
	choiceDivergence = "divergence"
	choiceStack      = "stack-search"
	choiceVote       = "vote-flags"
	choiceLock       = "lock-flags"
	choiceInterp     = "interpolation"
	choiceFilter     = "texture-filter"
)

// OptRegisters is the option of the number of registers.
const OptRegisters = "registers"

// registerCounts are the values of option registers.
var registerCounts = []string{"128", "124", "120", "116", "112", "108", "104", "100", "96", "92", "88", "84", "80", "76", "72", "68",
	"64", "60", "56", "52", "48", "44", "40", "36", "32", "28", "24", "20", "16", "12", "8", "4"}

// registerCount returns how many registers the programs of a target have.
func registerCount(t *isa.Target) int { return NumR - 4*t.Option(optRegisters) }

// options are parameters of a launch, modes of the machine that no instruction can read, and choices.
var options = []isa.Option{
	optRegisters: {Name: OptRegisters, Values: registerCounts, Default: "128", Source: "docs/reference/tesla.md 3.1",
		Doc: "Registers that the program has: beyond them reads give 0 and nothing is written."},
	optZero: {Name: "zero-product", Values: []string{"ieee", zeroWins: "zero"}, Default: "ieee", Source: "docs/reference/tesla.md 7.8",
		Doc: "Whether a product of f32 is +0 if a factor is a zero, whatever the other: a mode bit of the processor."},
	optSatNaN: {Name: "sat-nan", Values: []string{"nan", satZero: "zero"}, Default: "nan", Source: "docs/reference/tesla.md 7.8",
		Doc: "What saturation makes of a NaN: a mode bit of the processor, which G80, G84 and MCP77 lack."},
	optQuadOut: {Name: "quad-outside", Values: []string{"zero", quadOutInf: "infinity"}, Default: "zero", Source: "docs/reference/tesla.md 7.8",
		Doc: "What quadop gives of lanes dx and dy outside fragment programs: a debug bit of the processor."},
	optBarrier: {Name: choiceBarrier, Values: []string{"threads", barrierWarps: "warps"}, Default: "threads", Source: "docs/reference/tesla.md 12",
		Doc: "What the number of bar counts: threads, as PTX's bar.sync says, or warps, as envytools' page does."},
	{Name: "clock", Values: []string{"instructions"}, Default: "instructions", Source: "docs/reference/tesla.md 12",
		Doc: "What $clock gives: the warp's count of instructions begun."},
	{Name: choiceDivergence, Values: []string{"taken"}, Default: "taken", Source: "docs/reference/tesla.md 12",
		Doc: "Which side of a warp that a branch divides runs first: the one that was taken."},
	{Name: choiceStack, Values: []string{"innermost"}, Default: "innermost", Source: "docs/reference/tesla.md 12",
		Doc: "Where ret and break go if another entry is on top of the stack: to the innermost call, or prebreak."},
	{Name: choiceVote, Values: []string{"sign"}, Default: "sign", Source: "docs/reference/tesla.md 12",
		Doc: "The flags of a vote: S if it is true, Z if not."},
	{Name: choiceLock, Values: []string{"sign"}, Default: "sign", Source: "docs/reference/tesla.md 12",
		Doc: "The flags of a locked load: S if it has the lock, Z if not."},
	{Name: choiceInterp, Values: []string{"f64"}, Default: "f64", Source: "docs/reference/tesla.md 12",
		Doc: "How inputs of fragments are interpolated: sums in f64 of shares that are f32, rounded once."},
	{Name: choiceFilter, Values: []string{"f32"}, Default: "f32", Source: "docs/reference/tesla.md 12",
		Doc: "How texels are filtered: weights, sums and levels of detail are f32. A level that is asked for is rounded to the nearest."},
}
