package multiserver_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/testdata/markovtest"
	"github.com/partwise/partwise/testdata/qbdtest"

	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
)

// delayTol: percentiles are found by bisection to the last bit of a sum whose terms were multiplied up to some twenty
// times.
const delayTol = 1e-11

// must is a number that comes with an error.
func must(v float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return v
}

func TestDelaysOfMMc(t *testing.T) {
	for _, c := range []int{1, 4, 16} {
		lambda, mu := 0.9*float64(c), 1.0
		known := mmc(lambda, mu, c)
		s, err := known.Queue.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		waiting, response, err := s.Delays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		rate := float64(c)*mu - lambda // W is exponential with this rate, given that it is not zero
		for _, x := range []float64{0, 0.1, 1, 30} {
			got := must(waiting.Survival(t.Context(), x))
			qbdtest.Near(t, fmt.Sprintf("c=%d P(W>%g)", c, x), got, known.Wait*math.Exp(-rate*x), delayTol)
		}
		for _, p := range []float64{0.5, 0.9, 0.99} {
			want := math.Max(0, math.Log(known.Wait/(1-p))/rate)
			got := must(waiting.Quantile(t.Context(), p))
			qbdtest.Near(t, fmt.Sprintf("c=%d quantile %g", c, p), got, want, delayTol)
		}
		qbdtest.Near(t, "mean", must(response.Mean(t.Context())), known.Mean/lambda, delayTol)
		if c == 1 {
			got := must(response.Quantile(t.Context(), 0.95))
			qbdtest.Near(t, "response", got, -math.Log(0.05)/(mu-lambda), delayTol)
		}
	}
}

// TestResponseWhereNoJobWaits: if the probability of waiting is too small for a number, or nearly so, the response time is
// the service time.
func TestResponseWhereNoJobWaits(t *testing.T) {
	for _, c := range []int{100, 152, 153, 154, 155, 156, 200} {
		s, err := mmc(0.5, 1, c).Queue.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		_, response, err := s.Delays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			what       string
			is, wanted float64
		}{
			{"mean", must(response.Mean(t.Context())), 1},
			{"P(X > 1)", must(response.Survival(t.Context(), 1)), math.Exp(-1)},
			{"median", must(response.Quantile(t.Context(), .5)), math.Ln2},
		} {
			if !(math.Abs(x.is/x.wanted-1) <= delayTol) {
				t.Errorf("%d servers: %s of the response time is %v, want %v", c, x.what, x.is, x.wanted)
			}
		}
	}
}

// Little: the mean waiting time is the mean queue over λ, whatever the phases.
func TestDelaysObeyLittle(t *testing.T) {
	for _, q := range []*multiserver.Queue{h2h2(4), h2h(3, 3)} {
		s, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		waiting, response, err := s.Delays(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		qbdtest.Near(t, "waiting", must(waiting.Mean(t.Context())), s.MeanWaiting()/s.ArrivalRate(), delayTol)
		qbdtest.Near(t, "response", must(response.Mean(t.Context())), s.Mean()/s.ArrivalRate(), delayTol)
		qbdtest.Near(t, "P(W>0)", must(waiting.Survival(t.Context(), 0)), s.ArrivalWaits(), delayTol)
		for _, p := range []float64{0.5, 0.9, 0.99, 0.9999} {
			q := must(response.Quantile(t.Context(), p))
			qbdtest.Near(t, "survival of quantile", must(response.Survival(t.Context(), q)), 1-p, delayTol)
		}
		// mean = ∫ P(T > t) dt, by the trapezoidal rule on a grid fine enough for six digits
		h, integral := 0.01, 0.5*must(response.Survival(t.Context(), 0))
		for x := h; ; x += h {
			v := must(response.Survival(t.Context(), x))
			integral += v
			if v < 1e-9 {
				break
			}
		}
		qbdtest.Near(t, "integral", integral*h, must(response.Mean(t.Context())), 1e-5)
	}
}

// Many servers are solved by modes, whose matrix T is then made by reduction.
func TestDelaysOfManyServers(t *testing.T) {
	s, err := h2h2(72).Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	waiting, _, err := s.Delays(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	qbdtest.Near(t, "waiting", must(waiting.Mean(t.Context())), s.MeanWaiting()/s.ArrivalRate(), 1e-9)
	qbdtest.Near(t, "P(W>0)", must(waiting.Survival(t.Context(), 0)), s.ArrivalWaits(), 1e-9)
	q := must(waiting.Quantile(t.Context(), 0.99))
	qbdtest.Near(t, "survival of quantile", must(waiting.Survival(t.Context(), q)), 0.01, 1e-9)
}

func TestDelaysNeedOneService(t *testing.T) {
	q := mmc(1, 1, 2).Queue
	q.OnArrival = []multiserver.Phases{{}, erlang(1, 0.1)}
	s, err := q.Solve(t.Context(), markov.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Delays(t.Context()); !errors.Is(err, markov.ErrMethod) {
		t.Errorf("a queue with switch-overs gave delays, error %v", err)
	}
}

// mh21 is the M/H2/1 queue with arrivals at rate lambda. With probability one half each, service has the rate fast or 1.
// The transform of the response time has two poles, the roots of a quadratic:
//
//	s² + (fast+1−λ)·s + fast·(1−ρ) = 0.
//
// survival returns P(W > t), or P(response > t), as the sum of the two exponentials.
type mh21 struct{ lambda, fast float64 }

func (q mh21) load() float64 { return q.lambda * (1 + 1/q.fast) / 2 }

func (q mh21) queue() *multiserver.Queue {
	m := poissonQueue(q.lambda)
	m.Servers = 1
	m.Service = []multiserver.Phases{{Alpha: []float64{.5, .5}, T: mat.NewDense(2, 2, []float64{-q.fast, 0, 0, -1})}}
	return m
}

func (q mh21) survival(response bool, t float64) (p float64) {
	b := q.fast + 1 - q.lambda
	free := 1 - q.load()
	large := (b + math.Sqrt(b*b-4*q.fast*free)) / 2
	roots := []float64{large, q.fast * free / large}
	for i, r := range roots {
		residue := (q.fast - r) * (1 - r)
		if response {
			residue = (q.fast*(1-r) + q.fast - r) / 2
		}
		p += free * residue / (roots[1-i] - r) / r * math.Exp(-r*t)
	}
	return p
}

// Service at rates up to fourteen decades apart. The reference loses digits of the faster exponential only, which matters
// at no percentile.
func TestDelaysOfStiffService(t *testing.T) {
	for _, fast := range []float64{3, 1e3, 1e6, 1e9, 1e12, 1e14} {
		for _, lambda := range []float64{0.1, 1, 1.4, 1.8} {
			q := mh21{lambda, fast}
			if q.load() > 0.95 {
				continue
			}
			sol, err := q.queue().Solve(t.Context(), markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			waiting, response, err := sol.Delays(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for k, d := range []*multiserver.Delay{waiting, response} {
				for _, p := range []float64{0.5, 0.9, 0.99, 0.9999} {
					x := must(d.Quantile(t.Context(), p))
					if x == 0 {
						continue // the job does not wait
					}
					off := math.Abs(q.survival(k == 1, x)/(1-p) - 1)
					if bound := d.ErrorBound() * (1 + x); !(off <= bound) || bound > 1e-10 {
						t.Errorf("fast %g, λ %g: P(%d > quantile %g) is off by %.2g, bound %.2g", fast, lambda, k, p, off, bound)
					}
				}
			}
		}
	}
}

// waitByEvents returns P(W > t) of a queue without switch-overs, from the levels of its solution with 31 digits. It
// follows the waiting jobs from departure to departure, by uniformization, and subtracts nothing.
func waitByEvents(q *multiserver.Queue, t float64) float64 {
	e, c := &explicit{q: q}, q.Servers
	exact := markovtest.Solve(e.qbd())
	place := map[string]int{} // occupancies of c jobs
	var occupied [][]int
	e.each(c, func(_ int, n []int, _ string, _ int) {
		if _, known := place[fmt.Sprint(n)]; !known {
			place[fmt.Sprint(n)] = len(occupied)
			occupied = append(occupied, slices.Clone(n))
		}
	})
	type move struct {
		from, to, departures int
		rate                 float64
	}
	var moves []move
	out, fastest := make([]float64, len(occupied)), 0.0
	for i, n := range occupied {
		e.serve(c+1, 0, slices.Clone(n), func(dl int, to string, rate float64) {
			for j, m := range occupied {
				if to == state(0, m, "", 0) {
					moves = append(moves, move{i, j, -dl, rate})
				}
			}
			out[i] += rate
		})
		fastest = max(fastest, out[i])
	}
	// found[k] holds the arrivals that find c+k jobs, by occupancy.
	phases, _ := q.D1.Dims()
	total := 0.0
	var found [][]float64
	for k := 0; k == 0 || exact.Tail(c+k-1) > 1e-19*exact.Tail(c-1); k++ {
		now, level, i := make([]float64, len(occupied)), exact.Level(c+k), 0
		e.each(min(c+k, c+1), func(a int, n []int, _ string, _ int) {
			now[place[fmt.Sprint(n)]] += level[i] * mat.Sum(q.D1.(*mat.Dense).Slice(a, a+1, 0, phases))
			i++
		})
		found = append(found, now)
	}
	total = meanRate(q.D0.(*mat.Dense), q.D1.(*mat.Dense))
	weight, sum := math.Exp(-fastest*t), 0.0
	for events := 0.0; ; events++ {
		left := 0.0
		for _, x := range found {
			left += floats.Sum(x)
		}
		sum += weight * left / total
		if events > fastest*t && weight*left < 1e-18*sum {
			return sum
		}
		next := make([][]float64, len(found))
		for k := range found {
			next[k] = make([]float64, len(occupied))
			for i, x := range found[k] {
				next[k][i] += x * (fastest - out[i]) / fastest
			}
		}
		for _, m := range moves {
			for k := m.departures; k < len(found); k++ {
				next[k-m.departures][m.to] += found[k][m.from] * m.rate / fastest
			}
		}
		found = next
		weight *= fastest * t / (events + 1)
	}
}

// Random queues: waiting times agree with the chain followed event by event, within the bound. A response time is no
// shorter than the wait.
func TestDelaysOfRandomQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	judged, most := 0, 30
	if needs.IsStudy() {
		most = *studySize
	}
	for k := *studyFrom; judged < most; k++ {
		q := drawn(k)
		q.OnArrival, q.OnDeparture, q.Service = nil, nil, q.Service[len(q.Service)-1:]
		n, _ := q.D0.Dims()
		if float64(n)*occupancies(len(q.Service[0].Alpha), q.Servers) > fewPhases {
			continue
		}
		sol, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil || sol.DecayRate() > 0.97 {
			continue // unstable, or more levels than can be followed
		}
		waiting, response, err := sol.Delays(t.Context())
		if err != nil {
			t.Errorf("queue %d (%s): %v", k, shape(q), err)
			continue
		}
		judged++
		for _, p := range []float64{0.5, 0.9, 0.99} {
			wait, stay := must(waiting.Quantile(t.Context(), p)), must(response.Quantile(t.Context(), p))
			if wait > stay {
				t.Errorf("queue %d (%s): quantile %g of the response is %g, of the wait %g", k, shape(q), p, stay, wait)
			}
			const longest = 300 // weights of longer times are below the smallest number
			if wait == 0 || wait*fastestRate(q) > longest {
				continue
			}
			want := waitByEvents(q, wait)
			later := must(waiting.Survival(t.Context(), wait*(1+1./1024)))
			steepness := 1024 * ((1 - p) - later) // t·density(t)
			off := math.Abs(want - (1 - p))
			if bound := waiting.ErrorBound() * (1 - p + 2*steepness); !(off <= bound) {
				t.Errorf("queue %d (%s): P(W > quantile %g) = %.17g, bound %.2g is broken %.2g times", k, shape(q), p, want, bound, off/bound)
			}
		}
	}
}

// fastestRate returns the largest rate of events in service at a full machine.
func fastestRate(q *multiserver.Queue) float64 {
	fastest := 0.0
	for j := range q.Service[0].Alpha {
		fastest = max(fastest, -q.Service[0].T.At(j, j))
	}
	return fastest * float64(q.Servers)
}
