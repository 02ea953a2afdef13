package code

import "unsafe"

// The size of a Context is a size class of the allocator that is a multiple of cache lines.
var _ = [1]int{}[unsafe.Sizeof(Context{})-448|unsafe.Offsetof(Context{}.Room)%64]
