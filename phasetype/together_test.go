package phasetype_test

import (
	"sync"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

// TestLawTogether: several goroutines that use one law, each in its own order, get the same values as one goroutine,
// while the tables that they share grow.
func TestLawTogether(t *testing.T) {
	needs.Concurrency(t)
	d := must(t)(phasetype.Mixture([]float64{1, 2},
		[]phasetype.Dist{must(t)(phasetype.Erlang(5, 3)), must(t)(phasetype.TwoMoments(40, 9))}))
	const points, askers = 60, 8
	ask := func(l *phasetype.Law, i int) [4]float64 {
		q := (float64(i) + 0.5) / points
		x := l.Quantile(q)
		return [4]float64{x, l.LogSurvival(100 * x), l.PDF(x), l.InverseSurvival(1e-30 * q)}
	}
	var want [points][4]float64
	alone := phasetype.NewLaw(d)
	for i := range points {
		want[i] = ask(alone, i)
	}
	law := phasetype.NewLaw(d)
	var all sync.WaitGroup
	for k := range askers {
		all.Go(func() {
			for i := range points {
				i = (7*i + 11*k) % points
				if got := ask(law, i); got != want[i] {
					t.Errorf("asker %d, point %d: %v, alone %v", k, i, got, want[i])
				}
			}
		})
	}
	all.Wait()
}
