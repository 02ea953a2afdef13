package launch

import "fmt"

// A BlockError is that of a launch whose groups have a size that the hardware, or its kernel, does not take.
type BlockError struct{ says string }

func (e *BlockError) Error() string { return e.says }

// BlockErrorf is a BlockError in words.
func BlockErrorf(format string, args ...any) error {
	return &BlockError{fmt.Sprintf(format, args...)}
}
