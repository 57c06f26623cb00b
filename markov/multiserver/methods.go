package multiserver

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// SpectralExpansion is a method for queues alone, as against quasi-birth-and-death processes of any kind.
const SpectralExpansion = "spectral-expansion"

// Methods lists the names that Settings.Method accepts for a [Queue], the automatic choice first.
func Methods() []string {
	names := append(markov.Methods(), SpectralExpansion)
	slices.Sort(names[1:])
	return names
}

// attempt is a way to solve the part of a queue at and above level c.
type attempt struct {
	method string
	modes  bool // by coefficients of modes alone, no matrices
	height int  // levels of an aggregation from c on
}

// But for low loads, see worthAggregating, the automatic choice tries modes wherever there are any: they cost less than
// anything else, and what they lose where eigenvectors nearly depend on each other shows in the residual. With a switch-over at level c that is no [delay], or for
// few occupancies, matrices are needed. The spectral expansion makes them from spectralFrom occupancies on, below which
// the reductions are as fast and need no certificate, and up to spectralServers servers: the condition of the basis grows
// with their number, from 15 for 8 to 3e9 for 64 servers with two phases, where polishing no longer makes up for it.
// Branches of general service are followed from where they are known, for some tens of microseconds each: up to generalFrom
// phases of a level a reduction is done sooner.
const (
	spectralFrom    = 6
	spectralServers = 48
	spectralAlways  = 500 // occupancies from which it is tried with any number of servers: it costs K³ a few times, a
	// reduction (n·K)³ more than a hundred times
	generalFrom = 24
)

// worthExpanding reports whether the branches at level c are known and cost less than a reduction.
func (s *system) worthExpanding() bool {
	switch s.branchesOf().(type) {
	case nil:
		return false
	case *rational:
		return float64(s.ar.n)*occupancies(s.m, s.c) >= generalFrom
	}
	return true
}

// Rates that are more than manyDecades apart are solved without subtractions, or held against that solution: products
// of eigenvectors and factorisations with row exchanges may lose digits that the residual does not show. Levels of more
// than crossCheckTo phases are not, which would take longer than all the rest.
const (
	manyDecades  = 8
	crossCheckTo = 1000
)

var crossCheck = attempt{method: markov.SubtractionFree}

func (s *system) affordable() bool { return float64(s.ar.n)*occupancies(s.m, s.c) <= crossCheckTo }

// spread keeps the least and the largest of positive numbers.
type spread struct{ least, most float64 }

func (p *spread) note(rates ...float64) {
	for _, v := range rates {
		if v > 0 {
			p.most = max(p.most, v)
			if p.least == 0 || v < p.least {
				p.least = v
			}
		}
	}
}

// findDecades returns how many decades the rates of the queue are apart.
func (s *system) findDecades() float64 {
	var p spread
	p.note(s.ar.d0.Data...)
	for q := range s.ar.classes {
		for a := range s.ar.n {
			for _, v := range s.ar.a.Row(q) {
				p.note(s.ar.f.At(a, q) * v)
			}
		}
	}
	for l := range s.c {
		if l > 0 && &s.exit[l][0] == &s.exit[l-1][0] { // one distribution serves for all levels
			break
		}
		p.note(s.t[l].Data...)
		p.note(s.exit[l]...)
	}
	for l := 1; l <= s.c; l++ {
		p.note(s.up[l].rates.least, s.up[l].rates.most)
		if l < s.c {
			p.note(s.down[l].rates.least, s.down[l].rates.most)
		}
	}
	return math.Log10(p.most / p.least)
}

// attempts returns what to try in turn, ρ being the traffic intensity.
func (s *system) attempts(ctx context.Context, st markov.Settings, rho float64) ([]attempt, error) {
	modes := s.modesSuffice()
	if st.Method == SpectralExpansion {
		if modes {
			return []attempt{{method: SpectralExpansion, modes: true}, {method: SpectralExpansion}}, nil
		}
		return []attempt{{method: SpectralExpansion}}, nil
	}
	chosen, ok := reduction.ByName(st.Method)
	if !ok {
		return nil, fmt.Errorf("no method %q for a multiserver queue, there are %s: %w",
			st.Method, strings.Join(Methods(), ", "), markov.ErrMethod)
	}
	list := make([]attempt, 0, 4)
	auto := st.Method == "" || st.Method == markov.Auto
	if auto && s.decades > manyDecades && s.affordable() {
		return append(list, crossCheck), nil
	}
	if auto && s.worthAggregating(ctx, rho) {
		list = append(list, s.aggregated(ctx))
	}
	if auto && s.worthExpanding() {
		if modes {
			list = append(list, attempt{method: SpectralExpansion, modes: true})
		}
		if k := occupancies(s.m, s.c); k >= spectralFrom && (s.c <= spectralServers || s.m > 2 && k >= spectralAlways) {
			list = append(list, attempt{method: SpectralExpansion})
		}
	}
	return append(list, attempt{method: chosen.Name}), nil
}

// aggregated returns the attempt to find the levels one after the other.
func (s *system) aggregated(ctx context.Context) attempt {
	return attempt{method: AggregationDisaggregation, height: heightFor(s.decay(ctx), lostLevel)}
}

// An [aggregation] is for renewal arrivals at loads so low that it takes few rounds, and for rates of which none is so slow
// that what its states are to forget changes by less than roundings in a round, as phases of other arrivals may be. It takes some three rounds for each level from c on, of a few
// operations for each state and phase. One of these, on sparse blocks, takes as long as three of products of large ones.
const (
	lowLoad         = 0.4
	fewDecades      = 5
	roundsPerLevel  = 3
	sparseOperation = 3
)

// worthAggregating reports whether an [aggregation] takes fewer operations than the factors of modes and the elimination of
// the boundary do, and matrices where modes would be refused.
func (s *system) worthAggregating(ctx context.Context, rho float64) bool {
	if rho > lowLoad || s.decades > fewDecades || s.ar.classes > 1 || !s.iterates() {
		return false
	}
	states := 0.0
	for l := range s.c {
		states += occupancies(s.m, l)
	}
	height := float64(s.aggregated(ctx).height)
	rounds := roundsPerLevel * height * float64(s.ar.n*(s.m+3)) * (states + height*occupancies(s.m, s.c))
	others := s.repeatingOperations(attempt{method: SpectralExpansion, modes: true}) + s.boundaryOperations(s.eliminatedLevels(ctx))
	if s.modesCancel(ctx) {
		others += s.repeatingOperations(attempt{method: SpectralExpansion})
	}
	return sparseOperation*rounds <= others
}

// modesCancel reports whether coefficients of modes of Erlang service, of k stages, are certain to cancel to fewer digits than
// are asked for. Entries of a vector fall as w^e where e stages are left after those that jobs are in, w^k = z, and jobs that
// have just come, with e = (k−1)·c, are not that rare: where some have none left, terms that are larger by w^(k−(k−1)·c) at
// level c+1 leave the difference.
func (s *system) modesCancel(ctx context.Context) bool {
	if _, ok := s.branchesOf().(*erlang); !ok {
		return false
	}
	enough, k := certified, float64(s.m)
	if s.up[s.c].phases > 0 {
		enough = certifiedDelay
	}
	return fewRoundings*math.Pow(s.queueDecay(ctx), 1-(k-1)*float64(s.c)/k) > enough
}
