package launch

import "fmt"

// A BlockError is the error of a launch whose group size the hardware or the kernel does not support.
type BlockError struct{ says string }

func (e *BlockError) Error() string { return e.says }

// BlockErrorf returns a BlockError with a formatted message.
func BlockErrorf(format string, args ...any) error {
	return &BlockError{fmt.Sprintf(format, args...)}
}
