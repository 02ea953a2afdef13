package gen

// The code computes addresses of tokens by shifting their index.
var _ = [1]int{}[sizeToken-1<<tokenBits]
