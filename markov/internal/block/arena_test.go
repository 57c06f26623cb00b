package block

import (
	"slices"
	"testing"
)

// TestArena: vectors are zero, also after others have used the storage, and do not overlap, whatever their sizes.
func TestArena(t *testing.T) {
	for name, a := range map[string]*Arena{"none": nil, "new": NewArena(10), "borrowed": BorrowArena(10)} {
		for round := range 2 {
			var vectors [][]float64
			for n := range 400 {
				x, z, p := a.Vector(n), a.ComplexVector(n/3), a.Places(n)
				if slices.Max(append(x, 0)) != 0 || slices.ContainsFunc(z, func(v complex128) bool { return v != 0 }) || slices.Max(append(p, 0)) != 0 {
					t.Fatalf("%s, round %d: vectors of %d numbers are not zero", name, round, n)
				}
				for i := range x {
					x[i] = float64(n)
				}
				for i := range z {
					z[i] = complex(float64(n), 1)
				}
				for i := range p {
					p[i] = int32(n)
				}
				vectors = append(vectors, x)
			}
			for n, x := range vectors {
				if len(x) != n || slices.ContainsFunc(x, func(v float64) bool { return v != float64(n) }) {
					t.Fatalf("%s, round %d: the vector of %d numbers was overwritten", name, round, n)
				}
			}
			if a != nil {
				a.Return()
			}
		}
	}
}

// TestArenaWithin: vectors of repeated steps are zero and use one storage, and vectors from before stay as they are.
func TestArenaWithin(t *testing.T) {
	for name, a := range map[string]*Arena{"none": nil, "new": NewArena(10), "borrowed": BorrowArena(10)} {
		kept := a.Vector(7)
		for i := range kept {
			kept[i] = 1
		}
		step := func() {
			for _, n := range []int{3, 100, 1000} {
				x, z, p := a.Vector(n), a.ComplexOf(a.Vector(n)), a.Places(n)
				if slices.Max(x) != 0 || slices.ContainsFunc(z, func(v complex128) bool { return v != 0 }) || slices.Max(p) != 0 {
					t.Fatalf("%s: vectors of %d numbers are not zero", name, n)
				}
				for i := range n {
					x[i], z[i], p[i] = 2, 2i, 2
				}
			}
		}
		for range 3 {
			a.Within(func() { a.Within(step); step() })
		}
		if slices.ContainsFunc(kept, func(v float64) bool { return v != 1 }) {
			t.Errorf("%s: a vector from before was overwritten", name)
		}
		if n := testing.AllocsPerRun(10, func() { a.Within(step) }); a != nil && n > 0 {
			t.Errorf("%s: a repeated step allocated %g times", name, n)
		}
	}
}
