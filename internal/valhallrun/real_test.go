package valhallrun

import (
	"math/big"

	"github.com/heddle-gpu/heddle/internal/reals"
)

type (
	real   = reals.Real
	format = reals.Format
)

var half, single = reals.Half, reals.Single

// Rounding modes by the names of the modifiers.
var roundings = map[string]big.RoundingMode{"rte": big.ToNearestEven, "rtp": big.ToPositiveInf, "rtn": big.ToNegativeInf, "rtz": big.ToZero, "rtna": big.ToNearestAway}
