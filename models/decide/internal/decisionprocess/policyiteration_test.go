package decisionprocess

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/needs"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// mostStates is above the number of states of every level.
const mostStates = 400

// drawn is a machine of n units with a drawn speedup, costs and load.
func drawn(n int, demand phasetype.Dist, exponent, cost, load float64) *models.System {
	s := &models.System{Nodes: n, MinNodes: 1, Arrivals: must(phasetype.Renewal(must(phasetype.Exponential(1)))),
		Demand: demand, Speedup: must(workload.NewSpeedup("power", exponent))}
	for k := 1; k <= n; k++ {
		s.Service = append(s.Service, must(demand.Scale(1/s.Speedup.At(float64(n)/float64(k)))))
		c := phasetype.Dist{}
		if cost > 0 {
			c = must(phasetype.Exponential(float64(k) / cost))
		}
		s.Shrink, s.Expand = append(s.Shrink, c), append(s.Expand, c)
	}
	s.Expand = s.Expand[:n-1]
	return must(s.WithLoad(load))
}

// search evaluates every stationary policy and keeps the least mean number of jobs. Policies that differ only where
// they never come are evaluated once.
type search struct {
	p        *Process
	above    *passage
	least    float64
	policies int
}

func (b *search) all(ctx context.Context, pol Policy, decided []map[int]bool) error {
	l, d := b.open(pol, decided)
	if l < 0 {
		b.policies++
		v, err := b.p.evaluate(ctx, pol, b.above)
		if errors.Is(err, markov.ErrReducible) { // it repartitions for ever
			return nil
		}
		if err != nil {
			return err
		}
		b.least = min(b.least, v.jobs)
		return nil
	}
	decided[l][d] = true
	for k := range b.p.levels[l].arrived[d].options {
		pol[l][d] = k
		if err := b.all(ctx, pol, decided); err != nil {
			return err
		}
	}
	pol[l][d] = 0
	delete(decided[l], d)
	return nil
}

// open returns a decision that a policy comes to and that is not decided yet, −1 if there is none.
func (b *search) open(pol Policy, decided []map[int]bool) (l, d int) {
	type place struct{ level, state int }
	seen := map[place]bool{{0, 0}: true}
	todo := []place{{0, 0}}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		lev := b.p.levels[at.level]
		events := slices.Clone(lev.events[at.state])
		for k, e := range events { // above L levels are one, but for its departures to level L
			if at.level > b.p.Most {
				events[k] = transition{0, e.decision, e.rate}
			}
		}
		if at.level > b.p.Most {
			events = append(events, lev.entry[at.state]...)
		}
		for _, e := range events {
			to := at.level + e.by
			arrived := b.p.levels[to].arrived[e.decision]
			if to <= b.p.Most && len(arrived.options) > 1 && !decided[to][e.decision] {
				return to, e.decision
			}
			for _, t := range b.p.chosen(to, pol, e.decision).to {
				if next := (place{to, t.state}); !seen[next] {
					seen[next] = true
					todo = append(todo, next)
				}
			}
		}
	}
	return -1, -1
}

// Policy iteration finds the least of all stationary policies, of which there are up to tens of thousands.
func TestPolicyIterationIsTheBestOfAll(t *testing.T) {
	exponential, erlang := must(phasetype.Exponential(1)), must(phasetype.Erlang(2, 1))
	for _, c := range []struct {
		what                 string
		n, most              int
		demand               phasetype.Dist
		exponent, cost, load float64
	}{
		{"one", 1, 2, exponential, .7, .1, .6},
		{"two, free", 2, 2, exponential, .7, 0, .6},
		{"two", 2, 2, exponential, .7, .1, .6},
		{"two, dear", 2, 2, exponential, .7, 5, .8},
		{"two, up to three jobs", 2, 3, exponential, .5, .3, .7},
		{"two of two phases, free", 2, 2, erlang, .7, 0, .6},
		{"two of two phases", 2, 2, erlang, .7, .2, .6},
		{"three, free", 3, 3, exponential, .7, 0, .6}, // 22,328 policies
		{"three, free but for shrinking to 3", 3, 3, exponential, .7, 0, .6},
	} {
		if c.n > 2 && !needs.IsLong() {
			continue
		}
		s := drawn(c.n, c.demand, c.exponent, c.cost, c.load)
		if c.what == "three, free but for shrinking to 3" { // 66,963 policies
			s.Shrink[2] = must(phasetype.Exponential(5))
		}
		p, err := New(t.Context(), s, c.most, mostStates, nil)
		if err != nil {
			t.Fatal(err)
		}
		above, err := p.solveAbove(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		b := &search{p: p, above: above, least: math.Inf(1)}
		decided := make([]map[int]bool, p.Most+1)
		for l := range decided {
			decided[l] = map[int]bool{}
		}
		if err := b.all(t.Context(), p.First(), decided); err != nil {
			t.Fatal(err)
		}
		v, err := p.iterate(t.Context(), p.First(), above)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d policies", c.what, b.policies)
		if !(math.Abs(v.jobs-b.least) <= 1e-9*b.least) {
			t.Errorf("%s: policy iteration %.15g, the best of %d policies %.15g", c.what, v.jobs, b.policies, b.least)
		}
	}
}

// A rule that decides by jobs, shares and who runs has the same mean by its chain, whose regimes are solved one by one, as
// by the passages of a process with that policy alone.
func TestOneRule(t *testing.T) {
	s := drawn(4, must(phasetype.BalancedHyperexponential(1, 3)), .7, .2, .6)
	for _, r := range []policy.Resize{{}, {Hysteresis: 1.5}, {Wait: 2}, {Floor: 2, Hysteresis: 2}, {Floor: 4}} {
		p, err := New(t.Context(), s, 40, mostStates, func(now Situation) int {
			shares, _ := r.Next(policy.Situation{Units: 4, Running: now.Running, Waiting: now.Jobs - now.Running,
				Shares: now.Shares, Changes: 1})
			return shares
		})
		if err != nil {
			t.Fatal(err)
		}
		mean, err := p.Best(t.Context(), p.First(), false, markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		chain, err := s.Chain(r)
		if err != nil {
			t.Fatal(err)
		}
		m, err := chain.Solve(t.Context(), markov.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(mean-m.MeanResponseTime) > 1e-11*m.MeanResponseTime {
			t.Errorf("%v: %.15g by passages, %.15g by its chain", r, mean, m.MeanResponseTime)
		}
	}
}
