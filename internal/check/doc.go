// Package check runs case files: claims about encodings, programs with the state before and after,
// and whole kernels with the buffers they must leave. It is the work of the command heddle check,
// and of tests that range over instruction sets.
//
//	summary, err := check.Run(ctx, []string{"cases"}, check.Options{
//		Each: func(r check.Result) {
//			if r.Status == check.Failed {
//				fmt.Println(r)
//			}
//		},
//	})
//
// Results come in the order of the files and of the cases in them, however many workers there are.
// A case that meets an instruction without a meaning fails and is counted as lacking besides.
//
// A captured frame gives a result for each of its programs, which stands for all invocations of it, and
// one for the picture. Frames hold what one variant does; another is held against them in the programs
// that it lifts to the same code, and skips the others.
//
// Formats: cases/README.md. A file of none of them is passed over, and listed in Summary.Others, unless it must have been meant as a case
// file: then it is a result that failed, which says what is wrong with it.
package check
