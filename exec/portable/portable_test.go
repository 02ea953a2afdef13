package portable_test

import (
	"testing"

	"github.com/heddle-gpu/heddle/exec/exectest"
	"github.com/heddle-gpu/heddle/exec/portable"
	"github.com/heddle-gpu/heddle/exec/ref"
)

func TestConform(t *testing.T) { exectest.Test(t, portable.New()) }

func TestRandom(t *testing.T) { exectest.Random(t, portable.New(), ref.New(), 3000) }

func BenchmarkPortable(b *testing.B) { exectest.Bench(b, portable.New()) }
