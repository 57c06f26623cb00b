package block

import (
	"runtime"
	"testing"
)

// TestScratchKept: garbage collections free no more of the released storage than what exceeds mostKept pieces of a size.
func TestScratchKept(t *testing.T) {
	const pieces = mostKept + 2
	sizes := []int{1, 100, 1 << 10, 1<<largestKeptClass - 1}
	for _, size := range sizes {
		var all []Matrix
		for range pieces {
			all = append(all, NewRaw(1, size))
		}
		released := map[*float64]bool{}
		for _, m := range all {
			released[&m.Data[0]] = true
			m.Release()
		}
		for range 3 {
			runtime.GC()
		}
		reused := 0
		for range pieces {
			if released[&NewRaw(1, size).Data[0]] {
				reused++
			}
		}
		if reused < mostKept {
			t.Errorf("%d of %d pieces of %d numbers were used again after garbage collections; want at least %d", reused, pieces, size, mostKept)
		}
	}
}

// TestScratchApart: blocks in use share no storage, whatever was released before.
func TestScratchApart(t *testing.T) {
	for range 3 {
		var all []Matrix
		for i := range 3 * mostKept {
			m := NewScratch(3, 5)
			for k, v := range m.Data {
				if v != 0 {
					t.Fatalf("entry %d of a new block is %g", k, v)
				}
				m.Data[k] = float64(i)
			}
			all = append(all, m)
		}
		for i, m := range all {
			for k, v := range m.Data {
				if v != float64(i) {
					t.Fatalf("entry %d of block %d is %g: another block was written", k, i, v)
				}
			}
			m.Release()
		}
	}
}
