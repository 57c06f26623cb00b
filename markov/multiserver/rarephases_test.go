package multiserver_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
)

// rareDraw draws queues in which few jobs or few arrivals visit some phase.
type rareDraw struct{ *rand.Rand }

// between draws a number from low to high, uniform on a logarithmic scale.
func (d rareDraw) between(low, high float64) float64 { return low * math.Pow(high/low, d.Float64()) }

// rare draws the share of the visits to a rare phase: mostly above 1e-4, down to 1e-9.
func (d rareDraw) rare() float64 {
	if d.IntN(3) == 0 {
		return d.between(1e-9, 1e-4)
	}
	return d.between(1e-4, 0.3)
}

// time draws a time of mean 1: hyperexponential of two or three phases, Coxian, Erlang or exponential.
func (d rareDraw) time() multiserver.Phases {
	rare := d.rare()
	switch d.IntN(8) {
	case 0, 1, 2:
		alpha, t := rareAndLong(1-rare, 1+(1-rare)/rare*d.between(1e-3, 1.99))
		return multiserver.Phases{Alpha: alpha, T: t}
	case 3, 4:
		second := d.rare() / 2
		alpha := []float64{1 - rare - second, rare, second}
		rates := []float64{1, d.between(0.1*rare, 0.9), d.between(1.1, 30)}
		mean := alpha[0]/rates[0] + alpha[1]/rates[1] + alpha[2]/rates[2]
		t := mat.NewDense(3, 3, nil)
		for i, rate := range rates {
			t.Set(i, i, -rate*mean)
		}
		return multiserver.Phases{Alpha: alpha, T: t}
	case 5:
		next := d.between(0.1*rare, 0.9)
		mean := 1 + rare/next
		return multiserver.Phases{Alpha: []float64{1, 0}, T: mat.NewDense(2, 2, []float64{-mean, rare * mean, 0, -next * mean})}
	case 6:
		return drawnErlang(2+d.IntN(3), 1)
	}
	return drawnErlang(1, 1)
}

// queue draws a queue of up to 40 servers at a load from 1e-3 to .999. [rareDraw.time] draws the service time and the
// time between arrivals. In one of five queues, arrivals are instead a Poisson process modulated by two phases, the
// second of which is rare. One of five queues has switch-overs.
func (d rareDraw) queue() *multiserver.Queue {
	service := d.time()
	servers := []int{1, 2, 3, 4, 5, 6, 8, 11, 12, 16, 24, 40}
	servers = slices.DeleteFunc(servers, func(c int) bool { return occupancies(len(service.Alpha), c) > 60 })
	c := servers[d.IntN(len(servers))]
	load := []float64{1e-3, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 0.999}[d.IntN(10)]
	inter := d.time()
	q := loaded(inter.Alpha, mat.DenseCopyOf(inter.T), service, c, load)
	if d.IntN(5) == 0 {
		slow := d.between(1e-5, 1)
		q.D0 = mat.NewDense(2, 2, []float64{0, slow * d.rare(), slow, 0})
		q.D1 = mat.NewDense(2, 2, []float64{1, 0, 0, d.between(0.1, 10)})
		setLoad(q, load)
	}
	if d.IntN(5) == 0 {
		mean := d.between(1e-3, 0.1)
		for i := range c {
			q.OnArrival = append(q.OnArrival, drawnErlang(1, mean))
			if i+1 < c {
				q.OnDeparture = append(q.OnDeparture, drawnErlang(1, mean))
			}
		}
	}
	return q
}

// manyReadings returns the readings of [drawnReadings], and the probabilities of levels and tails below c and far out.
func manyReadings(sol solved, c int) []reading {
	list, d := drawnReadings(sol, c), sol.Diagnostics()
	for _, k := range []int{0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 40, 64, 65, 257, 1024, 4096} {
		list = append(list, reading{fmt.Sprintf("P(N=c+%d)", k), sol.Probability(c + k), d.BoundAt(k)},
			reading{fmt.Sprintf("P(N>c+%d)", k), sol.Tail(c + k), d.BoundAt(k + 1)})
	}
	for l := 1; l < c; l += 1 + c/8 {
		list = append(list, reading{fmt.Sprintf("P(N=%d)", l), sol.Probability(l), d.ErrorBound},
			reading{fmt.Sprintf("P(N>%d)", l), sol.Tail(l), d.ErrorBound})
	}
	return list
}

// lostOnce holds the seeds of two queues in which the error of some measure once exceeded its bound. In the first, a
// branch of service comes within 10⁻¹⁰ of the pole of a phase that 3 of 10⁹ jobs visit. Their distance was computed as
// a difference of rates. In the second, a level of probability 10⁻²²² lies below the first measured level whose
// probability underflows. Its bound then came from the measured level before.
var lostOnce = [][2]uint64{{29, 888}, {24, 1348}}

// Queues of many kinds in which some phase is rare: a few numbers decide how large the errors of measures are, and
// modes nearly coincide. The automatic choice is within its bounds.
func TestBoundsOfRarePhases(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}, readings: manyReadings}
	from, size := 0, 40
	if needs.IsStudy() {
		from, size = *studyFrom, *studySize
	}
	for _, source := range lostOnce {
		y.solve(t, int(source[1]), rareDraw{rand.New(rand.NewPCG(source[0], source[1]))}.queue(), 0)
	}
	for k := from; k < from+size; k++ {
		phases := 0
		if k%100 == 0 {
			phases = fewPhases
		}
		y.solve(t, k, rareDraw{needs.Rand(29, uint64(k))}.queue(), phases)
	}
	y.report(t)
}
