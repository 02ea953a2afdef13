package check

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/heddle-gpu/heddle/internal/vectors"
)

// vectorsTask is the number of test vectors per task.
const vectorsTask = 32

// vectorsFile makes the tasks of a file of test vectors.
func (c *checker) vectorsFile(ctx context.Context, f caseFile, emit func(task) bool) error {
	file, err := c.open(f.path)
	if err != nil {
		return err
	}
	defer file.Close()
	b := batch{emit: emit}
	for t, err := range func(each func(*vectors.Test, error) bool) { vectors.Read(file, f.path, each) } {
		switch {
		case err != nil:
			b.list = append(b.list, func() Result { return broken(f, err) })
		case c.named(vectorName(t)) && c.wants(cutVariant(t.ISA)):
			b.list = append(b.list, func() Result { return c.vector(ctx, f, t) })
		}
		if len(b.list) >= vectorsTask && !b.flush() {
			return ctx.Err()
		}
	}
	if !b.flush() {
		return ctx.Err()
	}
	return nil
}

// vectorName returns the text of the instruction and the number of the test, on one line.
func vectorName(t *vectors.Test) string {
	return fmt.Sprintf("%s #%d", strings.ReplaceAll(t.Name, "\n", " "), t.Index)
}

// cutVariant splits gcn:gfx8; it returns the canonical name of the variant, whatever name the file uses.
func cutVariant(isa string) (name, variant string) {
	if set, own, err := wanted(isa); err == nil {
		return set, own
	}
	name, variant, _ = strings.Cut(isa, ":")
	return name, variant
}

// vector checks a test vector.
func (c *checker) vector(ctx context.Context, f caseFile, t *vectors.Test) Result {
	r := Result{Kind: f.kind, File: f.path, Line: t.Line, Set: f.set(), ISA: t.ISA, Name: vectorName(t), Instructions: 1}
	if err := ctx.Err(); err != nil {
		r.skip(err.Error())
		return r
	}
	start := time.Now()
	r.fail(guarded(func() string {
		differs, err := c.verifier.Verify(t)
		if err != nil {
			r.Found.Faults = FaultsOf(err)
			if c.Coverage != nil {
				r.Uncounted = "the instruction of the test vector has not run to its end"
			}
			return c.fault(err, &r)
		}
		return differs
	}))
	r.Time = time.Since(start)
	return r
}
