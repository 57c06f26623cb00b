package models_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

var (
	studyFrom   = flag.Int("study.from", 0, "the first of them")
	studySize   = flag.Int("study.size", 1000, "how many of them")
	studyPhases = flag.Int("study.phases", 120, "solve machines with 31 digits whose levels have no more phases")
)

// machineDraw draws machines.
type machineDraw struct{ *rand.Rand }

// tenTo returns ten to a power between the given ones.
func (r machineDraw) tenTo(least, most float64) float64 {
	return math.Pow(10, least+(most-least)*r.Float64())
}

// time draws an exponential, hyperexponential, Erlang or Coxian time of about the given mean.
func (r machineDraw) time(mean, scv float64) phasetype.Dist {
	switch r.IntN(5) {
	case 0:
		return must(phasetype.Erlang(2, 2/mean))
	case 1:
		return must(phasetype.BalancedHyperexponential(mean, 1+r.tenTo(-2, math.Log10(scv))))
	case 2:
		return must(phasetype.Coxian([]float64{1 / mean, r.tenTo(-1, 1) / mean}, []float64{r.Float64()}))
	}
	return must(phasetype.Exponential(1 / mean))
}

// arrivals draws a Poisson, renewal, Markov-modulated Poisson or Markovian process of up to the given order.
func (r machineDraw) arrivals(order int) phasetype.MAP {
	n := 1 + r.IntN(order)
	switch kind := r.IntN(4); {
	case kind == 0 || n == 1:
		return poisson(1)
	case kind == 1:
		return must(phasetype.Renewal(r.time(1, 10)))
	case kind == 2:
		q, rates := mat.NewDense(n, n, nil), make([]float64, n)
		for i := range n {
			rates[i] = r.tenTo(-2, 2) * float64(min(1, i+r.IntN(2)))
			for j := range n {
				if j != i {
					q.Set(i, j, r.tenTo(-3, 1))
					q.Set(i, i, q.At(i, i)-q.At(i, j))
				}
			}
		}
		return must(phasetype.MMPP(q, rates))
	}
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		out := 0.0
		for j := range n {
			if d1.Set(i, j, r.tenTo(-2, 2)*float64(r.IntN(2))); j != i {
				d0.Set(i, j, r.tenTo(-2, 2))
			}
			out += d0.At(i, j) + d1.At(i, j)
		}
		d0.Set(i, i, -out)
	}
	if mat.Sum(d1) == 0 {
		return poisson(1)
	}
	return must(phasetype.NewMAP(d0, d1))
}

// machine draws a machine of up to so many nodes, with arrivals of up to an order, and overheads from short ones to such that one
// in a million takes a million times as long, at a load from 1e-6 to 1 − 1e-9.
func (r machineDraw) machine(nodes, order int) *models.System {
	n := 2 + r.IntN(nodes-1)
	demand := must(phasetype.Exponential(1))
	if n <= 16 {
		demand = r.time(1, 20)
	}
	exponent := .4 + .6*r.Float64()
	s := machine(n, r.arrivals(order), demand, func(n float64) float64 { return math.Pow(n, exponent) })
	switch r.IntN(4) {
	case 0:
		s = overheads(s, must(phasetype.BalancedHyperexponential(r.tenTo(-3, 1), r.tenTo(0, 6))))
	case 1:
		shrink, expand := r.time(r.tenTo(-3, 1), 20), r.time(r.tenTo(-3, 1), 20)
		for i := range n {
			if s.Shrink = append(s.Shrink, shrink); i+1 < n {
				s.Expand = append(s.Expand, expand)
			}
		}
	default:
		s = overheads(s, must(phasetype.Exponential(r.tenTo(-2, 2))))
	}
	if r.IntN(3) == 0 {
		s.Shrink = append([]phasetype.Dist{{}}, s.Shrink[1:]...)
	}
	load := r.tenTo(-6, 0)
	if r.IntN(3) == 0 {
		load = 1 - r.tenTo(-9, -1)
	}
	return must(s.WithLoad(load))
}

// rule draws a rule for a machine of n units.
func (r machineDraw) rule(n int) policy.Resize {
	var rule policy.Resize
	if r.IntN(2) == 0 {
		rule.Cooldown, rule.SCV = r.tenTo(-2, 3), []float64{.5, 1, 1, 4}[r.IntN(4)]
	}
	if r.IntN(3) == 0 {
		rule.Cap = 1 + r.IntN(n)
	}
	if r.IntN(3) == 0 {
		rule.Floor = 1 + r.IntN(max(1, rule.Cap))
	}
	if r.IntN(3) == 0 {
		rule.Hysteresis = 1 + r.Float64()
	}
	if r.IntN(3) == 0 {
		rule.Batch = 1 + r.IntN(3)
	}
	if r.IntN(3) == 0 {
		rule.Wait = 1 + r.IntN(3)
	}
	rule.Departures = r.IntN(4) == 0
	return rule
}

// drawnModel returns random model number k, and what it is.
func drawnModel(k int) (m models.Model, s *models.System, what string) {
	r := machineDraw{rand.New(rand.NewPCG(9, uint64(k)))}
	const few, some, many = 5, 16, 96 // nodes
	switch r.IntN(10) {
	case 0, 1, 2:
		s = stopping(r.machine(some, 3), models.ResizedStop)
		return &models.DEP{System: s}, s, "resized jobs stop"
	case 3:
		s = stopping(r.machine(many, 1+r.IntN(2)), models.ResizedStop)
		return &models.DEP{System: s}, s, "resized jobs stop"
	case 4:
		s = stopping(r.machine(many, 4), models.AllStop)
		return &models.DEP{System: s}, s, "all jobs stop"
	case 5, 6, 7:
		s = stopping(r.machine(few, 2), models.AllStop)
		return &models.Smoothed{System: s, Minimum: r.time(r.tenTo(-2, 3), 20)}, s, "smoothing"
	}
	s = stopping(r.machine(few, 2), models.AllStop)
	rule := r.rule(s.Nodes)
	return &models.Resizing{System: s, Rule: rule}, s, rule.String()
}

// machineTally counts what the comparisons of random machines give.
type machineTally struct {
	machines, refused, broken, witnessed int
	ratios                               map[string][]float64
}

// compare holds random machine number k against the method that sums levels without subtractions, and against 31 digits where
// levels have at most so many phases.
func (y *machineTally) compare(t *testing.T, k, phases int) {
	m, s, what := drawnModel(k)
	y.compareModel(t, fmt.Sprintf("machine %d (%d nodes, %s)", k, s.Nodes, what), m, s, phases)
}

// compareModel does for a chain of a system what compare does for a random machine.
func (y *machineTally) compareModel(t *testing.T, name string, m models.Model, s *models.System, phases int) {
	auto, err := m.Solve(t.Context(), markov.Settings{})
	if errors.Is(err, markov.ErrTooLarge) || err == nil && !auto.Stable {
		return
	}
	y.machines++
	known, other := m.Solve(t.Context(), markov.Settings{Method: markov.SubtractionFree})
	if err != nil {
		y.refused++
		t.Logf("%s: %v; without subtractions: %v", name, err, other)
		return
	}
	if other != nil {
		t.Fatalf("%s without subtractions: %v", name, other)
	}
	levels, others := firstLevels(t, auto), firstLevels(t, known)
	y.hold(t, name, "subtraction-free", s.Nodes, auto, levels[:min(len(levels), len(others))],
		witness{known, func(i int) float64 { return others[i] }})
	precise, sol, err := models.Witness(t.Context(), m, phases)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if sol != nil {
		y.witnessed++
		// Products of a few rates, and sums over them, are rounded as those of any method.
		precise.Diagnostics.ErrorBound = 4 * 0x1p-53 / (1 - sol.DecayRate())
		w := witness{precise, sol.Probability}
		y.hold(t, name, "31 digits", s.Nodes, auto, levels, w)
		y.hold(t, name+" without subtractions", "31 digits", s.Nodes, known, others, w)
	}
}

// witness is a solution that another one is compared with.
type witness struct {
	models.Measures
	level func(i int) float64 // P(level = i)
}

// firstLevels returns the probabilities of levels, unless the chain decays so slowly that they are thousands.
func firstLevels(t *testing.T, m models.Measures) []float64 {
	const slow = .99
	if m.DecayRate > slow {
		return nil
	}
	levels, err := m.LevelProbabilities(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

// hold compares the measures of one solution, and some of its levels, with those of another.
func (y *machineTally) hold(t *testing.T, name, against string, nodes int, m models.Measures, levels []float64, known witness) {
	check := func(what string, x, y2, bound float64) {
		if y2 < 1e-290 {
			return
		}
		off := math.Abs(x/y2 - 1)
		if !(off <= bound) {
			y.broken++
			t.Errorf("%s, η = %.6g, against %s: %s = %.17g differs by %.2g, bounds %.2g", name, m.DecayRate, against, what, x, off, bound)
		}
		y.ratios[what+", "+against] = append(y.ratios[what+", "+against], bound/max(off, 1e-17))
	}
	bound := m.Diagnostics.ErrorBound + known.Diagnostics.ErrorBound
	for _, q := range models.Table() {
		x, okX := m.Of(q.Name)
		v, okV := known.Of(q.Name)
		if !okX || !okV {
			continue
		}
		factor := 1.0
		if q.Name == measure.VarianceJobs {
			factor = 2
		}
		check(q.Name, x, v, factor*bound)
	}
	check("decay_rate", m.DecayRate, known.DecayRate, bound)
	for l, p := range levels {
		if l == 0 || l%nodes == 0 && l <= 4*nodes {
			check(fmt.Sprintf("P(%dN)", l/nodes), p, known.level(l), m.Diagnostics.BoundAt(l-nodes)+known.Diagnostics.BoundAt(l-nodes))
		}
	}
}

// A repartition that lasts for a million arrivals hides among all others, and has most of the mean number of jobs: what is summed
// over as many levels keeps its mass.
func TestRareLongRepartitions(t *testing.T) {
	s := stopping(must(overheads(machine(2, poisson(1), must(phasetype.Exponential(1)), func(n float64) float64 { return math.Pow(n, .6) }),
		must(phasetype.BalancedHyperexponential(.03, 4e5))).WithLoad(.75)), models.AllStop)
	for name, m := range map[string]models.Model{
		"all stop":  &models.DEP{System: s},
		"smoothing": &models.Smoothed{System: s, Minimum: must(phasetype.Exponential(1))},
		"rule":      &models.Resizing{System: s, Rule: policy.Resize{Cooldown: 1, SCV: 1}},
		"resized": &models.DEP{System: stopping(must(overheads(machine(3, poisson(1), must(phasetype.Exponential(1)), linear),
			s.Shrink[0]).WithLoad(.75)), models.ResizedStop)},
	} {
		precise, _, err := models.Witness(t.Context(), m, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []string{markov.Auto, markov.SubtractionFree} {
			got, err := m.Solve(t.Context(), markov.Settings{Method: method})
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+" "+method+": mean", got.MeanJobs, precise.MeanJobs, got.Diagnostics.ErrorBound)
			near(t, name+" "+method+": variance", got.VarianceJobs, precise.VarianceJobs, 2*got.Diagnostics.ErrorBound)
			near(t, name+" "+method+": p_r", got.Repartitions.Probability, precise.Repartitions.Probability, got.Diagnostics.ErrorBound)
		}
	}
}

// brokenOnce are machines of which some measure was once off by more than its bound: many levels at light loads, on which
// roundings added up; sums over the levels close to saturation.
var brokenOnce = []int{2455, 3062, 5249, 30675}

// No measure of random machines differs from one method to another, or from 31 digits, by more than their bounds add up to:
// where resized jobs or all jobs stop, with up to 96 nodes and at most 60 phases, under rules for resizing, and under smoothing.
// 44 machines are drawn in every run.
func TestBoundsOfRandomMachines(t *testing.T) {
	y := &machineTally{ratios: map[string][]float64{}}
	from, size, phases := 0, 20, 24
	if needs.IsStudy() {
		from, size, phases = *studyFrom, *studySize, *studyPhases
	} else {
		for _, k := range brokenOnce {
			y.compare(t, k, *studyPhases)
		}
	}
	for k := from; k < from+size; k++ {
		y.compare(t, k, phases)
	}
	y.report(t)
}

// report logs what was compared. More than one machine of a thousand must not be refused.
func (y *machineTally) report(t *testing.T) {
	t.Logf("%d machines, %d of them also solved with 31 digits, %d refused, %d broken bounds", y.machines, y.witnessed, y.refused, y.broken)
	if y.refused*1000 > y.machines {
		t.Errorf("%d machines are refused", y.refused)
	}
	for _, name := range slices.Sorted(maps.Keys(y.ratios)) {
		r := y.ratios[name]
		slices.Sort(r)
		t.Logf("%-45s %5d: least %.2g, median %.2g, 90 %% %.2g", name, len(r), r[0], r[len(r)/2], r[len(r)*9/10])
	}
}

// slowMachine draws machine number k of up to five nodes under slowly modulated arrivals, every other one with repartitions.
func slowMachine(k int) *models.System {
	r := machineDraw{rand.New(rand.NewPCG(77, uint64(k)))}
	arrivals, demand, exponent := r.slow(), r.time(1, 20), .4+.6*r.Float64()
	s := machine(1+r.IntN(5), arrivals, demand, func(n float64) float64 { return math.Pow(n, exponent) })
	s = must(s.WithLoad(.02 + .97*r.Float64()))
	if k%2 == 0 {
		s = overheads(s, r.time(r.tenTo(-2, 1), 10))
	}
	return s
}

// overloadedForLong are machines that their arrivals overload for millions of arrivals, although the load is below 1. Their
// levels decay by 1 − 1e-8 or less. They were refused because the throughput differs from the arrival rate by more than 1e-9, as
// the error bound says.
var overloadedForLong = []int{230, 315, 376, 462, 525, 566}

// Arrivals that are modulated up to nine decades more slowly than they come: no chain is refused, and no measure is off by more
// than its bound, by another method and by 31 digits.
func TestBoundsOfSlowlyModulatedMachines(t *testing.T) {
	y := &machineTally{ratios: map[string][]float64{}}
	machines, phases := overloadedForLong, 12
	if needs.IsStudy() {
		phases = 40
		for k := range *studySize {
			machines = append(machines, *studyFrom+k)
		}
	}
	for _, k := range machines {
		s := slowMachine(k)
		name := fmt.Sprintf("slow machine %d (%d nodes)", k, s.Nodes)
		y.compareModel(t, name+" all jobs stop", &models.DEP{System: stopping(s, models.AllStop)}, s, phases)
		y.compareModel(t, name+" resized jobs stop", &models.DEP{System: stopping(s, models.ResizedStop)}, s, phases)
		y.compareModel(t, name+" smoothing", &models.Smoothed{System: stopping(s, models.AllStop), Minimum: must(phasetype.Exponential(.2))}, s, phases)
		static, err := must(s.Chain(policy.Static{Partitions: s.Nodes})).Solve(t.Context(), markov.Settings{})
		if err != nil {
			y.refused++
			t.Logf("%s static: %v", name, err)
			continue
		}
		near(t, name+" static: P(wait)", static.ProbabilityWait, exactDelays(s).Waiting(0), static.Diagnostics.ErrorBound)
	}
	y.report(t)
}
