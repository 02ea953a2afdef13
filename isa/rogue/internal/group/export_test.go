package group

// The two decoders, for tests.
var (
	Quick = (*Decoder).quick
	Look  = look
)

// MostParts is the largest number of parts of a group.
const MostParts = mostParts
