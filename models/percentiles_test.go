package models_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/markovtest"
	"github.com/partwise/partwise/testdata/needs"
)

// slow draws arrivals that change their rate up to nine decades more slowly than they come.
func (r machineDraw) slow() phasetype.MAP {
	n, slow := 2+r.IntN(2), r.tenTo(-9, 0)
	q, rates := mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		rates[i] = r.tenTo(-.5, .5)
		for j := range n {
			if j != i && (j == (i+1)%n || r.IntN(4) > 0) {
				q.Set(i, j, slow*r.tenTo(-.75, .75))
				q.Set(i, i, q.At(i, i)-q.At(i, j))
			}
		}
	}
	return must(phasetype.MMPP(q, rates))
}

// percentileSystem draws machine number k of up to four nodes, under arrivals that are slowly modulated in two of three machines.
func percentileSystem(k int) *models.System {
	r := machineDraw{rand.New(rand.NewPCG(31, uint64(k)))}
	arrivals := r.slow()
	if r.IntN(3) == 0 {
		arrivals = r.arrivals(3)
	}
	demand := r.time(1, 20)
	exponent := .4 + .6*r.Float64()
	s := machine(1+r.IntN(4), arrivals, demand, func(n float64) float64 { return math.Pow(n, exponent) })
	return must(s.WithLoad(.02 + .97*r.Float64()))
}

// percentileTally counts comparisons of percentiles with 106 bits.
type percentileTally struct {
	compared, refused, left int     // percentiles, machines without percentiles, machines too large to compare
	worst                   float64 // largest share of an error in the stated error
}

// check compares the p-quantile of a time with P(time > quantile), which lies between least and most.
func (y *percentileTally) check(t *testing.T, what string, quantile, p, least, most, bound float64) {
	t.Helper()
	y.compared++
	off := max(least-(1-p), 1-p-most)
	if quantile == 0 {
		off = max(0, least-(1-p)) // more than p of the jobs do not wait
	}
	y.worst = max(y.worst, off/bound)
	if !(off <= bound) {
		t.Errorf("%s: percentile %g is off by %.2g of the probability, stated %.2g", what, 100*p, off, bound)
	}
}

// quantiles returns the percentiles of a policy, ok if they are known.
func (y *percentileTally) quantiles(t *testing.T, what string, s *models.System, p policy.Policy) (waiting, response []float64,
	bound float64, ok bool) {
	t.Helper()
	m, err := must(s.Chain(p)).Solve(t.Context(), markov.Settings{})
	if err == nil {
		waiting, response, bound, err = m.Quantiles(t.Context(), "", percentiles)
	}
	if err != nil {
		t.Logf("%s: %v", what, err)
		y.refused++
	}
	return waiting, response, bound, err == nil
}

// report logs what was compared.
func (y *percentileTally) report(t *testing.T) {
	t.Logf("%d percentiles compared, %d machines refused, %d too large; the largest error is %.2g of the stated one", y.compared, y.refused,
		y.left, y.worst)
}

// drawnMachines returns the numbers of the machines of a study, or of a few.
func drawnMachines(few int) (from, to int) {
	if needs.IsStudy() {
		return *studyFrom, *studyFrom + *studySize
	}
	return 0, few
}

// TestPercentilesOfStaticPolicies: the percentiles of waiting and of response times have no larger error than stated, by 106 bits.
func TestPercentilesOfStaticPolicies(t *testing.T) {
	var y percentileTally
	from, to := drawnMachines(4)
	for k := from; k < to; k++ {
		s := percentileSystem(k)
		what := fmt.Sprintf("machine %d: %d partitions, load %.4g, arrivals of order %d", k, s.Nodes, s.Load(), s.Arrivals.Phases())
		waiting, response, bound, ok := y.quantiles(t, what, s, policy.Static{Partitions: s.Nodes})
		if !ok {
			continue
		}
		exact := exactDelays(s)
		for i, p := range percentiles {
			wait, stay := exact.Waiting(waiting[i]), exact.Response(response[i])
			y.check(t, what+": waiting time", waiting[i], p, wait, wait, bound)
			y.check(t, what+": response time", response[i], p, stay, stay, bound)
		}
	}
	y.report(t)
}

// TestPercentilesOfDynamicPolicies: the percentiles of response times have no larger error than stated, by 106 bits. The witness
// follows a job from state to state; it loses jobs with a probability below 1e-12 that meet too many jobs. On every third machine
// jobs gain nothing from a second node, so that they respond as in a queue, whose length is no limit.
func TestPercentilesOfDynamicPolicies(t *testing.T) {
	const lost, states = 1e-12, 40_000
	var y percentileTally
	from, to := drawnMachines(3)
	for k := from; k < to; k++ {
		s := percentileSystem(k)
		constant := k%3 == 0
		switch {
		case constant:
			s = must(machine(s.Nodes, s.Arrivals, s.Service[0], func(float64) float64 { return 1 }).WithLoad(s.Load()))
		case k%2 == 1:
			s = overheads(s, must(phasetype.Exponential(20)))
		}
		what := fmt.Sprintf("machine %d: %d nodes, load %.4g, arrivals of order %d", k, s.Nodes, s.Load(), s.Arrivals.Phases())
		var survival func(t float64) (least, most float64)
		if constant {
			exact := exactDelays(s)
			survival = func(t float64) (least, most float64) { p := exact.Response(t); return p, p }
		} else {
			walk, lostAt, err := (&models.DEP{System: s}).Walk(t.Context(), "", lost, states)
			if err != nil {
				t.Logf("%s: %v", what, err)
				y.left++
				continue
			}
			survival = func(t float64) (least, most float64) {
				most = walk.Survival(t)
				return most - walk.Probability(lostAt), most
			}
		}
		_, response, bound, ok := y.quantiles(t, what, s, policy.Dynamic{})
		if !ok {
			continue
		}
		for i, p := range percentiles {
			least, most := survival(response[i])
			y.check(t, what, response[i], p, least, most, bound)
		}
	}
	y.report(t)
}

// exactDelays returns the delays under static partitioning into single nodes, with 31 digits.
func exactDelays(s *models.System) *markovtest.Delays {
	service := s.Service[s.Nodes-1]
	return markovtest.NewDelays(&markovtest.Queue{D0: s.Arrivals.D0(), D1: s.Arrivals.D1(), Servers: s.Nodes, Alpha: service.Alpha(),
		T: service.T(), Exit: service.Exit()})
}
