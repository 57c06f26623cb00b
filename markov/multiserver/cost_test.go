package multiserver_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/testdata/qbdtest"
)

func erlangService(phases int, mean float64) multiserver.Phases {
	t := mat.NewDense(phases, phases, nil)
	for i := range phases {
		t.Set(i, i, -float64(phases)/mean)
		if i+1 < phases {
			t.Set(i, i+1, float64(phases)/mean)
		}
	}
	alpha := make([]float64, phases)
	alpha[0] = 1
	return multiserver.Phases{Alpha: alpha, T: t}
}

// cyclic is service that goes round its phases.
func cyclic(phases int, mean float64) multiserver.Phases {
	p := erlangService(phases, mean/2)
	t := p.T.(*mat.Dense)
	t.Set(phases-1, 0, -t.At(0, 0)/2)
	return p
}

// small is what the collector leaves of a heap, however often it runs.
const small = 4 << 20

// TestEstimatesCoverWhatIsTaken compares the memory that is reserved with what solves take. It is no less, and not many
// times as much.
func TestEstimatesCoverWhatIsTaken(t *testing.T) {
	if testing.Short() {
		t.Skip("sizes, not concurrency")
	}
	poisson := func(rate float64) (d0, d1 mat.Matrix) {
		return mat.NewDense(1, 1, []float64{-rate}), mat.NewDense(1, 1, []float64{rate})
	}
	modulated := func(rate float64) (d0, d1 mat.Matrix) {
		return mat.NewDense(3, 3, []float64{-1.2 * rate, 0.1 * rate, 0.1 * rate, 0.1 * rate, -0.7 * rate, 0.1 * rate,
				0.1 * rate, 0.1 * rate, -1.7 * rate}),
			mat.NewDense(3, 3, []float64{rate, 0, 0, 0, 0.5 * rate, 0, 0, 0, 1.5 * rate})
	}
	hyper := multiserver.Phases{Alpha: []float64{0.5, 0.3, 0.2}, T: mat.NewDense(3, 3, []float64{-1, 0, 0, 0, -0.5, 0, 0, 0, -2.5})}
	for _, c := range []struct {
		servers  int
		service  multiserver.Phases
		arrivals func(float64) (d0, d1 mat.Matrix)
		overhead int // phases of switch-overs
		method   string
	}{
		{1, erlangService(150, 1), poisson, 0, markov.CyclicReduction},
		{2, erlangService(35, 1), poisson, 0, ""},
		{2, erlangService(25, 1), poisson, 0, markov.CyclicReduction},
		{2, erlangService(20, 1), modulated, 0, ""},
		{8, hyper, poisson, 0, markov.SubtractionFree},
		{24, hyper, poisson, 0, ""},
		{10, hyper, poisson, 3, ""},
		{6, hyper, modulated, 3, ""},
		{4, cyclic(7, 1), poisson, 3, ""},
		{6, hyper, modulated, 0, markov.SubtractionFree},
		{2, hyper, modulated, 80, ""},
	} {
		q := &multiserver.Queue{Servers: c.servers, Service: []multiserver.Phases{c.service}}
		q.D0, q.D1 = c.arrivals(0.6 * float64(c.servers))
		for range c.servers {
			if c.overhead > 0 {
				q.OnArrival = append(q.OnArrival, erlangService(c.overhead, 0.05))
			}
		}
		q.OnDeparture = q.OnArrival[:max(0, len(q.OnArrival)-1)]
		name := fmt.Sprintf("%d servers, %d phases, overhead of %d, %s", c.servers, len(c.service.Alpha), c.overhead, c.method)
		ctx := context.Background()
		var refused *parallel.LimitError
		limit := 1.0 // raised to what is asked for: by the ingredients, then by the method
		var err error
		var sol *multiserver.Solution
		var taken float64
		for range 3 {
			block.FreeReturned()
			taken = qbdtest.Peak(func() {
				sol, err = q.Solve(ctx, markov.Settings{Method: c.method, Memory: markov.NewMemory(int64(limit))})
			})
			if !errors.As(err, &refused) {
				break
			}
			if !strings.Contains(err.Error(), "server") || taken > limit+small {
				t.Errorf("%s: %.3g MiB are taken before %v", name, taken/(1<<20), err)
			}
			limit = math.Ceil(refused.Takes)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		t.Logf("%s: %v: %.3g MiB estimated, %.3g MiB taken, %.3g", name, sol.Diagnostics(), limit/(1<<20), taken/(1<<20),
			limit/taken)
		watched := runtime.GOMAXPROCS(0) > 1 // on one processor a short solve is over before the heap is looked at
		if taken > limit+small || watched && limit > 3*taken+small {
			t.Errorf("%s: %.3g MiB reserved, %.3g MiB taken", name, limit/(1<<20), taken/(1<<20))
		}
	}
}
