package attila

// A class is instructions that take the same time in the simulator. docs/reference/attila.md 10.
type class uint8

const (
	classPlain class = iota
	classInteger
	classPower // of two, and its logarithm
	classReciprocal
	classAngle
	classParts // exp and log, which give several numbers
	classLight
	classTexture
	classProjected
	classDerivatives
	classBrief // of the arithmetic unit, in one cycle
	classControl
)

// classes are the units and names of classes.
var classes = [...]struct{ unit, name string }{
	classPlain: {"alu", "plain"}, classInteger: {"alu", "integer"}, classPower: {"alu", "power"}, classReciprocal: {"alu", "reciprocal"}, classAngle: {"alu", "angle"},
	classParts: {"alu", "parts"}, classLight: {"alu", "light"}, classDerivatives: {"alu", "derivatives"}, classBrief: {"alu", "brief"},
	classTexture: {"texture", "plain"}, classProjected: {"texture", "projected"}, classControl: {"control", ""},
}
