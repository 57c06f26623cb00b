package multiserver_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/blocktest"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/markovtest"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { os.Exit(blocktest.Run(needs.Counting(m))) }

// serverNumbers are the numbers of servers that are drawn; occupancies limit the phases.
var serverNumbers = []int{1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48, 64, 96}

// loads are traffic intensities from rare jobs to saturation.
var drawnLoads = []float64{
	1e-6, 1e-4, 0.01, 0.05, 0.137, 0.3, 0.5, 0.61, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1 - 1e-5, 1 - 1e-7, 1 - 1e-9,
}

// drawn is random queue number k: service of up to five phases of any kind, arrivals by Markovian processes of up to order 4,
// switch-overs or none.
func drawn(k int) *multiserver.Queue {
	r := rand.New(rand.NewPCG(17, uint64(k)))
	q := &multiserver.Queue{Servers: serverNumbers[r.IntN(len(serverNumbers))]}
	most := 5
	for most > 1 && occupancies(most, q.Servers) > 120 {
		most--
	}
	m := min(most, 1+r.IntN(5))
	spread := *decades / 2 * r.Float64()
	rate := func() float64 { return math.Pow(10, spread*(r.Float64()-0.5)) }
	service := drawnService(r, m, rate)
	if r.IntN(3) == 0 {
		for i := 1; i <= q.Servers; i++ {
			x := float64(q.Servers) / float64(i)
			q.Service = append(q.Service, faster(service, x/(1+0.05*(x-1))))
		}
	} else {
		q.Service = []multiserver.Phases{service}
	}
	if r.IntN(3) == 0 {
		phases, mean := 1+r.IntN(2), 0.1*rate()
		for i := range q.Servers {
			q.OnArrival = append(q.OnArrival, drawnErlang(phases, mean))
			if i+1 < q.Servers {
				q.OnDeparture = append(q.OnDeparture, drawnErlang(phases, mean))
			}
		}
	}
	drawnArrivals(r, q, rate, drawnLoads[r.IntN(len(drawnLoads))])
	return q
}

func occupancies(m, c int) float64 {
	size := 1.0
	for l := 1; l <= c; l++ {
		size *= float64(l+m-1) / float64(l)
	}
	return size
}

// drawnService draws hyperexponential, Erlang, Coxian or any service.
func drawnService(r *rand.Rand, m int, rate func() float64) multiserver.Phases {
	p := multiserver.Phases{Alpha: make([]float64, m), Exit: make([]float64, m)}
	t := mat.NewDense(m, m, nil)
	kind := r.IntN(5)
	one := rate()
	for i := range m {
		p.Alpha[i] = 0.05 + r.Float64()
		switch {
		case kind < 2:
			p.Exit[i] = rate()
		case kind == 2:
			if i+1 < m {
				t.Set(i, i+1, one)
			} else {
				p.Exit[i] = one
			}
		default:
			p.Exit[i] = rate() * float64((1+r.IntN(3))/2)
			if i+1 == m || p.Exit[i] == 0 && kind == 4 {
				p.Exit[i] = rate()
			}
			for j := range m {
				if j == i+1 || kind == 4 && j != i && r.IntN(2) == 0 {
					t.Set(i, j, rate())
				}
			}
		}
	}
	if kind == 2 || kind == 3 {
		clear(p.Alpha[1:])
	}
	total := 0.0
	for _, a := range p.Alpha {
		total += a
	}
	for i := range p.Alpha {
		p.Alpha[i] /= total
	}
	for i := range m {
		out := p.Exit[i]
		for j := range m {
			if j != i {
				out += t.At(i, j)
			}
		}
		t.Set(i, i, -out)
	}
	p.T = t
	return p
}

func drawnErlang(phases int, mean float64) multiserver.Phases {
	p := multiserver.Phases{Alpha: make([]float64, phases), Exit: make([]float64, phases)}
	t := mat.NewDense(phases, phases, nil)
	r := float64(phases) / mean
	p.Alpha[0], p.Exit[phases-1] = 1, r
	for i := range phases {
		t.Set(i, i, -r)
		if i+1 < phases {
			t.Set(i, i+1, r)
		}
	}
	p.T = t
	return p
}

func faster(p multiserver.Phases, f float64) multiserver.Phases {
	var t mat.Dense
	t.Scale(f, p.T)
	q := multiserver.Phases{Alpha: p.Alpha, T: &t}
	for _, v := range p.Exit {
		q.Exit = append(q.Exit, v*f)
	}
	return q
}

// drawnArrivals draws a Poisson, renewal, Markov-modulated Poisson or any Markovian process.
func drawnArrivals(r *rand.Rand, q *multiserver.Queue, rate func() float64, load float64) {
	n, kind := 1+r.IntN(4), r.IntN(4)
	if kind == 0 {
		n = 1
	}
	for n > 2 && float64(n)*occupancies(len(q.Service[0].Alpha), q.Servers) > 240 {
		n--
	}
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	renewal := drawnService(r, n, rate)
	for i := range n {
		for j := range n {
			switch kind {
			case 0, 1:
				d0.Set(i, j, renewal.T.At(i, j))
				d1.Set(i, j, renewal.Exit[i]*renewal.Alpha[j])
			case 2:
				if i == j {
					d1.Set(i, j, rate())
				} else {
					d0.Set(i, j, 0.1*rate())
				}
			default:
				d1.Set(i, j, rate()*float64(r.IntN(2)))
				if i != j {
					d0.Set(i, j, rate())
				}
			}
		}
	}
	if mat.Sum(d1) == 0 {
		d1.Set(0, 0, 1)
	}
	q.D0, q.D1 = d0, d1
	setLoad(q, load)
}

// setLoad makes time run faster or slower for the arrivals, so that the traffic intensity without switch-overs is as given, and
// sets the diagonal of D0.
func setLoad(q *multiserver.Queue, load float64) {
	d0, d1 := q.D0.(*mat.Dense), q.D1.(*mat.Dense)
	n, _ := d0.Dims()
	lambda := meanRate(d0, d1)
	last := q.Service[len(q.Service)-1]
	f := load * float64(q.Servers) / phasesMean(last.Alpha, mat.DenseCopyOf(last.T)) / lambda
	for i := range n {
		out := 0.0
		for j := range n {
			d1.Set(i, j, d1.At(i, j)*f)
			out += d1.At(i, j)
			if i != j {
				d0.Set(i, j, d0.At(i, j)*f)
				out += d0.At(i, j)
			}
		}
		d0.Set(i, i, -out)
	}
}

// meanRate returns the rate of a Markovian arrival process; the diagonal of d0 is not read.
func meanRate(d0, d1 *mat.Dense) float64 {
	n, _ := d0.Dims()
	w := mat.NewDense(n, n, nil)
	rhs := mat.NewDense(n, 1, nil)
	for i := range n {
		for j := range n {
			if i != j {
				v := d0.At(i, j) + d1.At(i, j)
				w.Set(j, i, w.At(j, i)+v)
				w.Set(i, i, w.At(i, i)-v)
			}
		}
	}
	for j := range n {
		w.Set(n-1, j, 1)
	}
	rhs.Set(n-1, 0, 1)
	var pi mat.Dense
	if err := pi.Solve(w, rhs); err != nil {
		return math.NaN()
	}
	lambda := 0.0
	for i := range n {
		lambda += pi.At(i, 0) * mat.Sum(d1.Slice(i, i+1, 0, n))
	}
	return lambda
}

// solved is what solutions of a queue have in common.
type solved interface {
	Mean() float64
	Variance() float64
	MeanWaiting() float64
	ArrivalWaits() float64
	Probability(i int) float64
	Tail(i int) float64
	Throughput() float64
	MeanInService() float64
	Switching() float64
	DecayRate() float64
	Diagnostics() markov.Diagnostics
}

// reading is a measure of a solution with the bound of its error.
type reading struct {
	name         string
	value, bound float64
}

func drawnReadings(sol solved, c int) []reading {
	d := sol.Diagnostics()
	list := []reading{
		{"mean", sol.Mean(), d.ErrorBound}, {"variance", sol.Variance(), 2 * d.ErrorBound},
		{"waiting", sol.MeanWaiting(), d.ErrorBound}, {"P(wait)", sol.ArrivalWaits(), d.ErrorBound},
		{"P(0)", sol.Probability(0), d.ErrorBound}, {"P(c)", sol.Probability(c), d.ErrorBound},
		{"throughput", sol.Throughput(), d.ErrorBound}, {"in service", sol.MeanInService(), d.ErrorBound},
		{"switching", sol.Switching(), d.ErrorBound}, {"decay", sol.DecayRate(), d.ErrorBound},
	}
	for _, k := range []int{1, 3, c, 3 * c} {
		list = append(list, reading{fmt.Sprintf("P(N=c+%d)", k), sol.Probability(c + k), d.BoundAt(k)},
			reading{fmt.Sprintf("P(N>c+%d)", k), sol.Tail(c + k), d.BoundAt(k + 1)})
	}
	return list
}

// witness is the solution of the chain of a queue, written out state by state, with 31 digits.
type witness struct {
	*markovtest.Solution
	q     *multiserver.Queue
	kinds [][]string  // of the switch-over, by level and phase
	rates [][]float64 // of arrivals
}

func newWitness(q *multiserver.Queue) *witness {
	e := &explicit{q: q}
	w := &witness{markovtest.Solve(e.qbd()), q, make([][]string, len(e.index)), make([][]float64, len(e.index))}
	n, _ := q.D1.Dims()
	for l := range e.index {
		e.each(l, func(a int, _ []int, kind string, _ int) {
			w.kinds[l] = append(w.kinds[l], kind)
			w.rates[l] = append(w.rates[l], mat.Sum(q.D1.(*mat.Dense).Slice(a, a+1, 0, n)))
		})
	}
	return w
}

func (w *witness) MeanWaiting() float64 { return w.MeanAbove(w.q.Servers) }

// DecayRate returns NaN where the decay rate η is so small that η^c is below 1e-280: the smallest entries of R are then no
// numbers. For one such queue the equation of the decay rate was solved with 60 digits. Its solution has the digits of both
// methods, and not the digits of the witness.
func (w *witness) DecayRate() float64 {
	rate := w.Solution.DecayRate()
	if math.Pow(rate, float64(w.q.Servers)) < 1e-280 {
		return math.NaN()
	}
	return rate
}

func (w *witness) Throughput() float64 {
	return w.Sum(func(l, i int) float64 { return w.rates[l][i] })
}

func (w *witness) ArrivalWaits() float64 {
	return w.Sum(func(l, i int) float64 {
		if l < w.q.Servers {
			return 0
		}
		return w.rates[l][i]
	}) / w.Throughput()
}

func (w *witness) MeanInService() float64 {
	return w.Sum(func(l, i int) float64 {
		if w.kinds[l][i] != "" {
			return 0
		}
		return float64(min(l, w.q.Servers))
	})
}

func (w *witness) Switching() float64 {
	return w.Sum(func(l, i int) float64 { return float64(min(1, len(w.kinds[l][i]))) })
}

// Diagnostics has a bound for the roundings of the rates, which are products of a few numbers, beside the distance from saturation.
func (w *witness) Diagnostics() markov.Diagnostics {
	return markov.Diagnostics{Method: "106 bits", ErrorBound: 4 * 0x1p-53 / (1 - w.Solution.DecayRate())}
}

// tally counts what the comparisons of random queues give.
type tally struct {
	queues, refused, broken, witnessed int
	methods                            map[string]int
	ratios                             map[string][]float64
	readings                           func(sol solved, c int) []reading // what is compared; [drawnReadings] if it is nil
}

// fewPhases of a level take some milliseconds to solve with 31 digits.
const fewPhases = 40

// solve holds the automatic choice for random queue number k against the method without subtractions, and both against 31 digits
// where levels have at most so many phases: no measure differs by more than both bounds.
func (y *tally) solve(t *testing.T, k int, q *multiserver.Queue, phases int) {
	sol, err := q.Solve(t.Context(), markov.Settings{})
	if errors.Is(err, markov.ErrUnstable) || errors.Is(err, markov.ErrReducible) {
		return
	}
	y.queues++
	if err != nil {
		y.refused++
		t.Logf("queue %d (%s): %v", k, shape(q), err)
		return
	}
	known, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
	if err != nil {
		t.Logf("queue %d (%s) without subtractions: %v", k, shape(q), err)
		return
	}
	method, rejected, _ := strings.Cut(sol.Diagnostics().Method, " (")
	if rejected != "" {
		method += " after spectral-expansion"
	}
	y.methods[method]++
	y.compare(t, k, q, sol, known)
	if d := sol.Diagnostics(); d.Phases <= phases {
		y.witnessed++
		w := newWitness(q)
		y.compare(t, k, q, sol, w)
		y.compare(t, k, q, known, w)
	}
}

// compare holds the measures of a solution against those of another one.
func (y *tally) compare(t *testing.T, k int, q *multiserver.Queue, sol, known solved) {
	readings := y.readings
	if readings == nil {
		readings = drawnReadings
	}
	want := readings(known, q.Servers)
	for i, got := range readings(sol, q.Servers) {
		if want[i].value < 1e-290 || math.IsNaN(want[i].value) {
			continue
		}
		off := math.Abs(got.value/want[i].value - 1)
		if !(off <= got.bound+want[i].bound) {
			y.broken++
			t.Errorf("queue %d (%s, η = %.6g), %s against %s: %s = %.17g differs by %.2g, bounds %.2g and %.2g", k, shape(q),
				sol.DecayRate(), sol.Diagnostics().Method, known.Diagnostics().Method, got.name, got.value, off, got.bound, want[i].bound)
		}
		name := got.name
		if _, precise := known.(*witness); precise {
			name += ", 31 digits"
		}
		y.ratios[name] = append(y.ratios[name], (got.bound+want[i].bound)/max(off, 1e-17))
	}
}

// report logs what was compared.
func (y *tally) report(t *testing.T) {
	t.Logf("%d queues, %d of them also solved with 31 digits, %d refused, %d broken bounds", y.queues, y.witnessed, y.refused, y.broken)
	if y.refused*1000 > y.queues {
		t.Errorf("%d queues are refused", y.refused)
	}
	for _, m := range slices.Sorted(maps.Keys(y.methods)) {
		t.Logf("%5d %s", y.methods[m], m)
	}
	report(t, y.ratios)
}

// brokenOnce are queues of which some measure was once off by more than its bound: tails and moments of many servers, tails of
// Coxian service with rare phases, arrivals with fast cycles or in several classes, rare states, slow polishing, factors with row
// exchanges (sums of the wrong sign at a load of 1 − 6e-9), a slowest root that was hardly changed, coefficients of modes that rare
// states depend on, levels of probability 1e-35 that the modes had lost, a path that had jumped to the root of another, and first
// passages over millions of levels, as during a rare long repartition, which lost 3e-13 of their mass.
var brokenOnce = []int{
	10887, 20095, 30425, 41577, 52415, 54145, 60037, 60163, 60295, 60297, 60309, 60412, 60433, 60563, 60647,
	73288, 106699, 109390, 300903, 506661, 551239, 573634, 700508, 800479,
	902899, 912497,
}

// Random queues of up to 96 servers, with service of up to five phases, arrivals of up to four and loads from 1e-6 to 1 − 1e-9: the
// automatic choice is compared with subtraction-free and, where levels have at most 24 phases, both with a solution of 106 bits
// (31 digits) that subtracts nothing (package markovtest). The measures are mean, variance, waiting jobs, P(wait), P(0), rates,
// decay rate, levels and tails up to 4c. Besides those of brokenOnce, four queues are drawn in every run.
func TestDrawnQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	queues := brokenOnce
	for k := range 4 {
		queues = append(queues, k)
	}
	phases := fewPhases
	if needs.IsStudy() {
		queues, phases = nil, *studyPhases
		for k := *studyFrom; k < *studyFrom+*studySize; k++ {
			queues = append(queues, k)
		}
	}
	for _, k := range queues {
		y.solve(t, k, drawn(k), phases)
	}
	y.report(t)
}

// At light loads the jobs that wait are those of rare occupancies, far below the roundings of the mean: they, and the probability
// that a job waits, have the digits that are claimed.
func TestWaitingAtLightLoads(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	servers := []int{3, 16}
	if needs.IsLong() {
		servers = []int{3, 8, 16, 32}
	}
	for k, c := range servers {
		for _, scv := range []float64{1, 6} {
			for _, load := range []float64{1e-5, 1e-3, .03} {
				alpha, service := hyperexponential2(1, 5)
				start, inter := []float64{1}, mat.NewDense(1, 1, []float64{-1})
				if scv > 1 {
					start, inter = hyperexponential2(1, scv)
				}
				y.solve(t, k, loaded(start, inter, multiserver.Phases{Alpha: alpha, T: service}, c, load), 2*fewPhases)
			}
		}
	}
	y.report(t)
}

// The error bound of a queue at light load is about the same in any unit of time. It was up to six times larger where the
// roundings in one unit let the levels near c settle in fewer sweeps.
func TestBoundsAtLightLoadsInAnyUnit(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	queues := 120
	if needs.IsLong() {
		queues = 400
	}
	for k := range queues {
		r := rand.New(rand.NewPCG(4711, uint64(k)))
		c := 2 + r.IntN(20)
		serviceSCV, arrivalSCV := 1.05+math.Pow(10, 1.5*r.Float64()-.5), 1.05+math.Pow(10, 1.5*r.Float64()-.5)
		load := math.Pow(10, -2*r.Float64()) / 4
		least, most := math.Inf(1), 0.0
		for _, unit := range []float64{1, 1.1, 1.2, 1.3, 1.4} {
			alpha, service := hyperexponential2(unit, serviceSCV)
			start, inter := hyperexponential2(1, arrivalSCV)
			q := loaded(start, inter, multiserver.Phases{Alpha: alpha, T: service}, c, load)
			sol, err := q.Solve(t.Context(), markov.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if d := sol.Diagnostics(); d.Method == multiserver.SpectralExpansion { // otherwise modes lost the levels above c
				least, most = min(least, d.ErrorBound), max(most, d.ErrorBound)
			}
		}
		if most > 2.5*least {
			t.Errorf("queue %d (%d servers, load %.2g): bounds from %.2g to %.2g", k, c, load, least, most)
		}
	}
}

// Service in three exponential phases of different means, in a queue whose passes through the levels below c do not settle: the
// levels are then eliminated when the coefficients of the modes are known.
func TestPassesThatDoNotSettle(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	const a, b, c = 4.627017761808118, 0.5145980034229465, 1.2696301133942995
	series := multiserver.Phases{Alpha: []float64{1, 0, 0}, T: mat.NewDense(3, 3, []float64{-a, a, 0, 0, -b, b, 0, 0, -c}), Exit: []float64{0, 0, c}}
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	y.solve(t, 0, loaded([]float64{1}, mat.NewDense(1, 1, []float64{-1}), series, 28, .6), 0)
	y.report(t)
}

// Arrivals in bursts that last for thousands of arrivals, at loads far from saturation, with several phases of service and
// exponential switch-overs: levels decay by .99 or more, and modes of many roots close to 1 cancel.
func TestBoundsOfBursts(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	from, size := 0, 10
	if needs.IsStudy() {
		from, size = *studyFrom, *studySize
	}
	for k := from; k < from+size; k++ {
		r := rand.New(rand.NewPCG(19, uint64(k)))
		rate := func(decades float64) float64 { return math.Pow(10, decades*(r.Float64()-.5)) }
		q := &multiserver.Queue{Servers: 2 + r.IntN(5)}
		q.Service = []multiserver.Phases{drawnService(r, 2+r.IntN(2), func() float64 { return rate(1.5) })}
		mean := 0.1 * rate(2)
		for i := range q.Servers {
			q.OnArrival = append(q.OnArrival, drawnErlang(1, mean))
			if i+1 < q.Servers {
				q.OnDeparture = append(q.OnDeparture, drawnErlang(1, mean))
			}
		}
		const n = 3
		q.D0, q.D1 = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		slow := math.Pow(10, -2-2*r.Float64())
		for i := range n {
			for j := range n {
				if i != j {
					q.D0.(*mat.Dense).Set(i, j, slow*rate(2))
				}
				if i == j || r.IntN(3) == 0 {
					q.D1.(*mat.Dense).Set(i, j, rate(3))
				}
			}
		}
		setLoad(q, .4+.4*r.Float64())
		if eta, err := q.DecayRate(t.Context()); err != nil || eta < .99 {
			continue
		}
		y.solve(t, k, q, fewPhases)
		// Modes alone are not tried for these queues, unless asked for.
		asked, err := q.Solve(t.Context(), markov.Settings{Method: multiserver.SpectralExpansion})
		if err == nil {
			y.compare(t, k, q, asked, newWitness(q))
		} else if !errors.Is(err, markov.ErrMethod) && !errors.Is(err, markov.ErrInaccurate) && !errors.Is(err, markov.ErrNoConvergence) {
			t.Errorf("queue %d (%s) by modes: %v", k, shape(q), err)
		}
	}
	y.report(t)
}

// slowlyModulated draws a queue whose arrivals change their rate up to nine decades more slowly than they arrive. Each
// phase of the arrivals has a rate of its own, or some have the same. Service, the number of servers and the load are
// drawn as well, and every third queue has switch-overs.
func slowlyModulated(k int) *multiserver.Queue {
	r := rand.New(rand.NewPCG(23, uint64(k)))
	q := &multiserver.Queue{Servers: 1 + r.IntN(6)}
	rate := func() float64 { return math.Pow(10, 1.5*(r.Float64()-.5)) }
	q.Service = []multiserver.Phases{drawnService(r, 1+r.IntN(3), rate)}
	if r.IntN(3) == 0 {
		for i := range q.Servers {
			q.OnArrival = append(q.OnArrival, drawnErlang(1, 0.1*rate()))
			if i+1 < q.Servers {
				q.OnDeparture = append(q.OnDeparture, drawnErlang(1, 0.1*rate()))
			}
		}
	}
	n := 2 + r.IntN(2)
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	slow := math.Pow(10, -9*r.Float64())
	for i := range n {
		for j := range n {
			switch {
			case i == j && i > 0 && r.IntN(8) == 0:
				d1.Set(i, i, d1.At(i-1, i-1))
			case i == j:
				d1.Set(i, i, rate())
			case r.IntN(4) > 0 || j == (i+1)%n:
				d0.Set(i, j, slow*rate())
			}
		}
	}
	q.D0, q.D1 = d0, d1
	setLoad(q, .02+.95*r.Float64())
	return q
}

// refusedOnce are slowly modulated queues whose levels need some thirty halvings. Functional iteration was tried and given up
// before each of them, and the tries were counted as halvings, so that none were left.
var refusedOnce = []int{6004678, 6005274}

// Slowly modulated arrivals: the chain is nearly decomposable, and its balance loses the digits of the slow rates. No
// measure is off by more than its bound, with the automatic choice and with modes where these are asked for.
func TestBoundsOfSlowModulation(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	from, size := 0, 60
	if needs.IsStudy() {
		from, size = *studyFrom, *studySize
	}
	queues := slices.Clone(refusedOnce)
	for k := range size {
		queues = append(queues, from+k)
	}
	for _, k := range queues {
		q := slowlyModulated(k)
		n, _ := q.D0.Dims()
		if float64(n)*occupancies(len(q.Service[0].Alpha), q.Servers) > fewPhases {
			continue
		}
		y.solve(t, k, q, 2*fewPhases)
		asked, err := q.Solve(t.Context(), markov.Settings{Method: multiserver.SpectralExpansion})
		if err == nil {
			y.compare(t, k, q, asked, newWitness(q))
		} else if !errors.Is(err, markov.ErrMethod) && !errors.Is(err, markov.ErrInaccurate) &&
			!errors.Is(err, markov.ErrNoConvergence) && !errors.Is(err, markov.ErrUnstable) {
			t.Errorf("queue %d (%s) by modes: %v", k, shape(q), err)
		}
	}
	// Three machines whose service rates differ in the last digits only: a single change of the modes happened to have
	// hardly any effect, and the mean number of waiting jobs was off by fifteen times its bound.
	for _, mean := range []float64{1, 3, 0.7} {
		q := loaded([]float64{1}, mat.NewDense(1, 1, []float64{-1}), drawnErlang(1, mean), 3, .5)
		q.D0 = mat.NewDense(2, 2, []float64{0, 4.06e-7, 1.94e-6, 0})
		q.D1 = mat.NewDense(2, 2, []float64{1.356, 0, 0, .2181})
		setLoad(q, .5)
		y.solve(t, -1, q, fewPhases)
	}
	y.report(t)
}

// Hyperexponential arrivals and service, where the basis of eigenvectors is ill-conditioned: variances and tails lose digits that
// the mean keeps.
func TestBoundsOfManyServers(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	for _, c := range []struct {
		service, arrivals float64 // squared coefficients of variation
		servers           int
		load              float64
	}{{20, 10, 96, 0.95}, {20, 2, 64, 0.8}, {4, 1, 64, 0.6}} {
		alpha, service := hyperexponential2(1, c.service)
		start, inter := []float64{1}, mat.NewDense(1, 1, []float64{-1})
		if c.arrivals > 1 {
			start, inter = hyperexponential2(1, c.arrivals)
		}
		q := loaded(start, inter, multiserver.Phases{Alpha: alpha, T: service}, c.servers, c.load)
		sol, err := q.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		known, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
		if err != nil {
			t.Fatal(err)
		}
		want := drawnReadings(known, c.servers)
		for i, got := range drawnReadings(sol, c.servers) {
			if off := math.Abs(got.value - want[i].value); !(off <= (got.bound+want[i].bound)*want[i].value) {
				t.Errorf("%d servers at load %v, %v: %s differs by %.2g, bounds %.2g and %.2g", c.servers, c.load,
					sol.Diagnostics(), got.name, off/want[i].value, got.bound, want[i].bound)
			}
		}
	}
}

// rareAndLong returns a hyperexponential time of mean 1, given the probability of its short phase and its squared
// coefficient of variation. The short phase has the mean 1 − (1−short)·apart, the long one 1 + short·apart.
func rareAndLong(short, scv float64) (alpha []float64, t *mat.Dense) {
	apart := math.Sqrt((scv - 1) / 2 / (short * (1 - short)))
	return []float64{short, 1 - short}, mat.NewDense(2, 2, []float64{-1 / (1 - (1-short)*apart), 0, 0, -1 / (1 + short*apart)})
}

// Service and arrivals whose long phases are rare: the branches of service move fast with the roots, and the arguments
// of the transforms are small differences of large rates. Moments were off by up to 85 times their bounds, tails by up
// to 360 times.
//
// All measures can differ by multiples of one variable, whose only draw was near zero: tails were off by up to 6 times
// their bounds. The changes of the modes can exceed the differences between the modes, and rare levels can follow from
// a level without a digit: the variance was off by up to 10 times its bound.
func TestBoundsOfRareLongPhases(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	for k, draw := range []struct {
		servers                               int
		short, service, often, arrivals, load float64
	}{
		{12, 0.998879, 37.89, 0.996778, 154.7, 0.05}, {12, 0.9997074, 229.6, 0.95184, 7.127, 0.05}, {12, 0.9996657, 123.4, 0.99994701, 22.84, 0.01},
		{12, 0.994159, 162.6, 0.99973, 5.517, 0.01}, {12, 0.998816, 786.2, 0.999377, 802.1, 0.01}, {12, 0.99923, 379.1, 0.98145, 99.36, 0.5},
		{12, 0.9998818, 649.6, 0.997773, 546.8, 0.7}, {12, 0.9993536, 40.7, 0.999794, 56.38, 0.3}, {12, 0.9991045, 30.72, 0.9998536, 9.815, 0.9},
		{4, 0.9997086, 389.9, 0.9997303, 43.36, 0.05}, {8, 0.9998794, 20.33, 0.9998047, 9.584, 0.01}, {12, 0.998888, 8.517, 0.9768, 22.59, 0.01},
		{12, 0.998909, 9.548, 0.97938, 42.39, 0.01}, {16, 0.9998415, 4.543, 0.98954, 17.24, 0.9}, {16, 0.9998677, 4.11, 0.97127, 27.08, 0.9},
		{16, 0.9998828, 127.8, 0.9992184, 497.2, 0.01}, {16, 0.9990219, 23.73, 0.97746, 18.11, 0.01}, {40, 0.9996639, 10.02, 0.9998831, 41.09, 0.05},
	} {
		alpha, service := rareAndLong(draw.short, draw.service)
		start, inter := rareAndLong(draw.often, draw.arrivals)
		y.solve(t, k, loaded(start, inter, multiserver.Phases{Alpha: alpha, T: service}, draw.servers, draw.load), fewPhases)
	}
	y.report(t)
}

// Levels far out at light loads, whose digits the modes have lost. Where the matrices from eigenvectors do not settle
// either, another method gives these levels. They were differences of modes, up to 1e11 times too large.
func TestLevelsFarOutWithoutMatrices(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	y := &tally{methods: map[string]int{}, ratios: map[string][]float64{}}
	for k, draw := range []struct{ short, service, often, arrivals float64 }{
		{0.9746392679115439, 8.237594131144705, 0.9899294995927268, 14.05959221068857},
		{0.9862581008058173, 8.01592845148937, 0.9998806224493939, 35.768639160006586},
	} {
		alpha, service := rareAndLong(draw.short, draw.service)
		start, inter := rareAndLong(draw.often, draw.arrivals)
		q := loaded(start, inter, multiserver.Phases{Alpha: alpha, T: service}, 40, .01)
		sol, err := q.Solve(t.Context(), markov.Settings{Method: multiserver.SpectralExpansion})
		if err != nil {
			t.Fatal(err)
		}
		known, err := q.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
		if err != nil {
			t.Fatal(err)
		}
		y.compare(t, k, q, sol, known)
	}
	report(t, y.ratios)
}
