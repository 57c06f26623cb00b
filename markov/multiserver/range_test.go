package multiserver_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/testdata/qbdtest"
)

// erlangMean returns E[N] of M/M/c by Erlang's recursion for the probability of blocking, which stays among numbers of
// the order of one.
func erlangMean(a float64, c int) float64 {
	blocked := 1.0
	for i := 1; i <= c; i++ {
		blocked = a * blocked / (float64(i) + a*blocked)
	}
	rho := a / float64(c)
	wait := blocked / (1 - rho*(1-blocked))
	return a + wait*rho/(1-rho)
}

// Machines that are never empty, or never full: P(0) or P(c) is below the smallest number, and everything else is right.
func TestLevelsBelowTheSmallestNumber(t *testing.T) {
	if testing.Short() {
		t.Skip("digits, not concurrency")
	}
	if mean := erlangMean(760, 800); math.Abs(mean-761.8609) > 5e-5 {
		t.Fatalf("M/M/800 at .95: %v", mean)
	}
	for _, at := range []struct {
		c   int
		rho float64
	}{{800, 0.95}, {850, 0.9}, {2000, 0.9}, {2000, 0.2}, {800, 0.02}} {
		a := at.rho * float64(at.c)
		queue := mmc(a, 1, at.c).Queue
		for _, method := range multiserver.Methods() {
			what := fmt.Sprintf("M/M/%d at %g, %s", at.c, at.rho, method)
			s, err := queue.Solve(t.Context(), markov.Settings{Method: method})
			if method == multiserver.SpectralExpansion && errors.Is(err, markov.ErrInaccurate) {
				continue // vectors of thousands of factors may be refused
			}
			if err != nil {
				t.Errorf("%s: %v", what, err)
				continue
			}
			qbdtest.Near(t, what+": mean", s.Mean(), erlangMean(a, at.c), 1e-12)
			qbdtest.Near(t, what+": throughput", s.Throughput(), a, 1e-12)
			if d := s.Diagnostics(); d.Residual > 1e-13 {
				t.Errorf("%s: %v", what, d)
			}
			for _, i := range []int{0, 1, at.c} {
				want := poissonAt(a, i)
				if got := s.Probability(i); i < at.c && math.Abs(got-want) > 1e-9*want+0x1p-1022 {
					t.Errorf("%s: P(%d) = %g, want %g", what, i, got, want)
				}
			}
		}
	}
}

// poissonAt returns e^−a·a^i/i!, which are the probabilities of M/M/c where jobs hardly ever wait, but for the share of
// time that they do.
func poissonAt(a float64, i int) float64 {
	gamma, _ := math.Lgamma(float64(i + 1))
	return math.Exp(float64(i)*math.Log(a) - a - gamma)
}

// Switch-overs do not change that: a machine of 420 servers that serves few jobs so slowly that it is never empty, by all
// methods.
func TestMethodsAgreeWhereLevelsAreBelowTheSmallestNumber(t *testing.T) {
	q := mmc(0.9, 1, 420).Queue
	q.Service = nil
	for i := 1; i <= q.Servers; i++ {
		share := float64(i) / 420
		q.Service = append(q.Service, erlang(1, 420/share))
		q.OnArrival = append(q.OnArrival, erlang(1, 0.01))
	}
	if s, err := q.Solve(t.Context(), markov.Settings{}); err != nil {
		t.Fatal(err)
	} else if p := s.Probability(0); p != 0 {
		t.Fatalf("P(0) = %g", p)
	}
	agree(t, "machine of 420", q, 1e-10)
}
