package multiserver_test

import (
	"errors"
	"flag"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/needs"
)

var (
	studyFrom = flag.Int("study.from", 0, "the first of them")
	studySize = flag.Int("study.size", 2000, "how many of them")
	// A level of 200 phases takes some seconds with 31 digits, one of 40 some milliseconds.
	studyPhases = flag.Int("study.phases", 200, "solve queues with 31 digits whose levels have no more phases")
	decades     = flag.Float64("study.decades", 8, "the most decades of their rates")
)

// short rounds to so few bits that products of rates and probabilities are exact.
func short(v float64, bits int) float64 {
	m, e := math.Frexp(v)
	scale := math.Ldexp(1, bits)
	return math.Ldexp(math.Round(m*scale)/scale, e)
}

// exactDraw draws queues whose rates and probabilities are numbers of few bits.
type exactDraw struct {
	*rand.Rand
	decades float64
	loads   []float64
	bits    int // of the factor that sets the load
}

func (d exactDraw) rate() float64 { return short(math.Pow(10, d.decades*(d.Float64()-0.5)), 14) }

// probabilities returns n positive numbers of seven bits that sum to a total.
func (d exactDraw) probabilities(n int, total float64) []float64 {
	p := make([]float64, n)
	for i := range n - 1 {
		p[i] = (1 + float64(d.IntN(100))) / 128 * total / float64(n)
		p[i] = math.Ldexp(math.Round(math.Ldexp(p[i], 7)), -7)
		p[i] = max(p[i], 1./128)
	}
	p[n-1] = total
	for _, v := range p[:n-1] {
		p[n-1] -= v
	}
	return p
}

func (d exactDraw) phases(m int, total float64, cyclic bool) multiserver.Phases {
	p := multiserver.Phases{Alpha: d.probabilities(m, total), Exit: make([]float64, m)}
	s := mat.NewDense(m, m, nil)
	for i := range m {
		p.Exit[i] = d.rate()
		out := p.Exit[i]
		for j := range m {
			if j != i && (j > i || cyclic) && d.IntN(2) == 0 {
				s.Set(i, j, d.rate())
				out += s.At(i, j)
			}
		}
		s.Set(i, i, -out)
	}
	p.T = s
	return p
}

// anyLoad are loads from light ones to close to saturation.
var anyLoad = []float64{0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1 - 1e-6}

// queue draws one with up to five servers, service of up to three phases, any arrivals, and switch-overs or none.
func (d exactDraw) queue() *multiserver.Queue {
	m, cyclic := 1+d.IntN(3), d.IntN(2) == 0
	q := &multiserver.Queue{Servers: 1 + d.IntN([]int{4, 5, 2}[m-1])}
	if d.IntN(2) == 0 {
		q.Service = []multiserver.Phases{d.phases(m, 1, cyclic)}
	} else {
		for range q.Servers {
			q.Service = append(q.Service, d.phases(m, 1, cyclic))
		}
	}
	if d.IntN(3) > 0 {
		for i := 1; i <= q.Servers; i++ {
			q.OnArrival = append(q.OnArrival, d.switchOver(cyclic))
			if i < q.Servers {
				q.OnDeparture = append(q.OnDeparture, d.switchOver(cyclic))
			}
		}
	}
	last := q.Service[len(q.Service)-1]
	d.arrivals(q, d.loads[d.IntN(len(d.loads))]*float64(q.Servers)/phasesMean(last.Alpha, mat.DenseCopyOf(last.T)))
	return q
}

func (d exactDraw) switchOver(cyclic bool) multiserver.Phases {
	if d.IntN(4) == 0 {
		return multiserver.Phases{}
	}
	return d.phases(1+d.IntN(2), []float64{1, 0.5}[d.IntN(2)], cyclic)
}

// arrivals sets D0 and D1: Poisson, renewal or any, at about the given rate.
func (d exactDraw) arrivals(q *multiserver.Queue, rate float64) {
	n := 1 + d.IntN(2)
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	inter := d.phases(n, 1, d.IntN(2) == 0)
	renewal := d.IntN(2) == 0
	for i := range n {
		for j := range n {
			if j != i {
				d0.Set(i, j, inter.T.At(i, j))
			}
			d1.Set(i, j, inter.Exit[i]*inter.Alpha[j])
			if !renewal && n > 1 {
				d1.Set(i, j, d.rate())
			}
		}
	}
	var sum mat.Dense
	sum.Add(d0, d1)
	lambda := 0.0
	pi := []float64{1}
	if n == 2 {
		pi = []float64{sum.At(1, 0) / (sum.At(0, 1) + sum.At(1, 0)), sum.At(0, 1) / (sum.At(0, 1) + sum.At(1, 0))}
	}
	for i, p := range pi {
		lambda += p * mat.Sum(d1.Slice(i, i+1, 0, n))
	}
	f := short(rate/lambda, d.bits) // products with it stay exact
	scale := func(_, _ int, v float64) float64 { return v * f }
	d0.Apply(scale, d0)
	d1.Apply(scale, d1)
	for i := range n {
		d0.Set(i, i, 0)
		d0.Set(i, i, -mat.Sum(d0.Slice(i, i+1, 0, n))-mat.Sum(d1.Slice(i, i+1, 0, n)))
	}
	q.D0, q.D1 = d0, d1
}

// judge solves queue number k, with rates over so many decades at most, by some methods and reports claims that do not
// hold. Ratios of claimed to actual errors are appended.
func judge(t *testing.T, k int, most float64, methods []string, ratios map[string][]float64) {
	d := exactDraw{rand.New(rand.NewPCG(11, uint64(k))), 0, anyLoad, 12}
	d.decades = most * d.Float64()
	judgeQueue(t, k, d.queue(), methods, ratios)
}

func judgeQueue(t *testing.T, k int, q *multiserver.Queue, methods []string, ratios map[string][]float64) {
	var exact *adjudicated
	for _, method := range methods {
		sol, err := q.Solve(t.Context(), markov.Settings{Method: method})
		switch {
		case errors.Is(err, markov.ErrMethod), errors.Is(err, markov.ErrUnstable):
			continue
		case errors.Is(err, markov.ErrInaccurate), errors.Is(err, markov.ErrNoConvergence):
			ratios["refused "+method] = append(ratios["refused "+method], 0)
			t.Logf("queue %d (%s), %s: %v", k, shape(q), method, err)
			continue
		case err != nil:
			t.Errorf("queue %d (%s), %s: %v", k, shape(q), method, err)
			continue
		}
		if exact == nil {
			exact = adjudicate(q)
		}
		for _, m := range exact.all(sol) {
			claimed := claim(sol, q.Servers, m)
			e := off(m.got, m.want)
			if v, _ := m.want.Float64(); v < 1e-290 {
				continue // below the range of numbers, or none
			}
			name, _, _ := strings.Cut(m.name, "(")
			ratios[name] = append(ratios[name], claimed/max(e, 1e-17))
			if !(e <= claimed) {
				ratios["broken "+name] = append(ratios["broken "+name], e/claimed)
				t.Errorf("queue %d (%s, η = %.6g), %s: %s = %.17g is off by %.2g, claimed %.2g", k, shape(q),
					sol.DecayRate(), sol.Diagnostics().Method, m.name, m.got, e, claimed)
			}
		}
	}
}

// claim is the error that a solution admits for a measure.
func claim(sol *multiserver.Solution, servers int, m measured) float64 {
	bound := sol.Diagnostics().ErrorBound
	switch {
	case m.name == "variance":
		return 2 * bound
	case m.level >= 0:
		return sol.Diagnostics().BoundAt(m.level - servers)
	}
	return bound
}

func report(t *testing.T, ratios map[string][]float64) {
	for _, name := range slices.Sorted(maps.Keys(ratios)) {
		r := ratios[name]
		slices.Sort(r)
		t.Logf("%-24s %5d: least %.2g, median %.2g, 90 %% %.2g, largest %.2g", name, len(r), r[0],
			r[len(r)/2], r[len(r)*9/10], r[len(r)-1])
	}
}

// The claimed bound holds for every measure of random queues, judged in arithmetic of 320 bits: queues of up to five servers with
// rates over up to eight decades, any arrivals, switch-overs or none, and loads from .01 to 1 − 1e-6, solved by the automatic
// choice and by subtraction-free. With -study it draws 2,000 queues, otherwise the first 8 of them.
func TestBoundsAgainstHigherPrecision(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	from, size := 0, 8
	if needs.IsStudy() {
		from, size = *studyFrom, *studySize
	}
	ratios := map[string][]float64{}
	for k := from; k < from+size; k++ {
		judge(t, k, *decades, []string{markov.Auto, markov.SubtractionFree}, ratios)
	}
	report(t, ratios)
}

// Close to saturation, at loads from 1 − 1e-3 to 1 − 1e-9, mean, variance, probabilities of levels and of repartitioning lose digits:
// a relative error of one rounding in a rate is one of 1/(1−η) roundings in the mean. Throughput, utilisation, decay rate and the
// probability of waiting keep all digits, and their bound is larger than need be. What is claimed
// there is no more above the errors than elsewhere.
func TestBoundsCloseToSaturation(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	ratios := map[string][]float64{}
	for k := range 12 {
		d := exactDraw{rand.New(rand.NewPCG(13, uint64(k))), 2, []float64{1 - math.Pow(10, -3-2*float64(k%4))}, 32}
		judgeQueue(t, k, d.queue(), []string{markov.Auto, markov.SubtractionFree}, ratios)
	}
	report(t, ratios)
	if mean := ratios["mean"]; mean[len(mean)/2] > 100 {
		t.Errorf("the bound of the mean is typically %.0f times the error", mean[len(mean)/2])
	}
}

// Rates over up to fourteen decades, by every method: long switch-overs under a full machine among them. None is refused,
// and what a method loses is in its bound.
func TestBoundsOfStiffQueues(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	t.Parallel()
	ratios := map[string][]float64{}
	queues := []int{55, 154, 750}
	if needs.IsLong() {
		queues = append(queues, 147, 335, 488)
	}
	for _, k := range queues {
		judge(t, k, 14, multiserver.Methods(), ratios)
	}
	report(t, ratios)
	for _, method := range []string{markov.Auto, markov.SubtractionFree} {
		if n := len(ratios["refused "+method]); n > 0 {
			t.Errorf("%s refuses %d", method, n)
		}
	}
}
