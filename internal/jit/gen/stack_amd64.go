package gen

// Code finds tokens by shifting their numbers.
var _ = [1]int{}[sizeToken-1<<tokenBits]
