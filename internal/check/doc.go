// Package check runs case files: claims about encodings, programs with the state before and after, and whole kernels
// with the expected contents of their buffers. The command heddle check uses it, and tests that cover all instruction
// sets do.
//
//	summary, err := check.Run(ctx, []string{"cases"}, check.Options{
//		Each: func(r check.Result) {
//			if r.Status == check.Failed {
//				fmt.Println(r)
//			}
//		},
//	})
//
// Results are in the order of the files and of the cases in them, for any number of workers. A case that reaches an
// instruction without semantics fails, and counts as lacking, too.
//
// A captured frame gives one result for each of its programs, which covers all invocations of it, and one for the
// picture. A frame records what one variant does. Another variant is checked on the programs that it lifts to the same
// IR, and skips the others.
//
// cases/README.md describes the formats. A file in none of these formats is ignored and listed in Summary.Others,
// unless it was evidently meant as a case file: then its result is a failure that says what is wrong with it.
package check
