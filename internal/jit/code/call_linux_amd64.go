package code

// call calls the address with the context in rdi. c escapes, and so is on the heap.
func call(at uintptr, c *Context)
