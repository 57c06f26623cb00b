package evenshares_test

import (
	"math/rand/v2"
	"testing"

	"github.com/partwise/partwise/validate/internal/evenshares"
)

// Random divisions give all units away, in sizes that differ by at most one unit. They keep as many sizes as they announce:
// as many as any division can.
func TestDivisionsAreEven(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for range 20000 {
		unit, jobs := 1+random.IntN(3), 1+random.IntN(9)
		units := jobs + random.IntN(20)
		small := units / jobs
		sizes := make([]int, jobs) // 0 for a job that starts
		for k := range sizes {
			sizes[k] = unit * max(0, small-1+random.IntN(4))
		}
		d := evenshares.New(units, jobs, unit)
		smaller, larger := d.Count(sizes, unit)
		announced := d.Keep(smaller, larger, jobs)
		sum, kept := 0, 0
		for _, had := range sizes {
			size := d.Next(had, unit)
			if size != small*unit && size != (small+1)*unit {
				t.Fatalf("%d units of %d nodes among jobs of %v nodes: one gets %d", units, unit, sizes, size)
			}
			if sum += size; size == had {
				kept++
			}
		}
		bigs := units - small*jobs
		if most := min(smaller, jobs-bigs) + min(larger, bigs); sum != units*unit || kept != announced || kept != most {
			t.Fatalf("%d units of %d nodes among jobs of %v nodes: %d nodes given, %d sizes kept, %d announced, %d possible",
				units, unit, sizes, sum, kept, announced, most)
		}
	}
}
