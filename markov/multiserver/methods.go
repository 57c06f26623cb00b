package multiserver

import (
	"fmt"
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
}

// The automatic choice tries modes wherever there are any: they cost less than anything else, and what they lose where
// eigenvectors nearly depend on each other shows in the residual. With a switch-over at level c matrices are needed,
// which the spectral expansion makes from spectralFrom occupancies on, below which the reductions are as fast and need
// no certificate, up to spectralServers servers: the condition of the basis grows with their number, from 15 for 8 to
// 3e9 for 64 servers with two phases, where polishing no longer makes up for it. Branches of general service are
// followed from where they are known, for some tens of microseconds each: up to generalFrom phases of a level a
// reduction is done sooner.
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

// cheapModes reports whether modes are worth trying before matrices. Those of Erlang service, with many complex
// branches, take half the time of the matrices where arrivals are renewals; and where static partitioning stands beside
// dynamic partitioning, the matrices are there already ([markov.Shared]).
func (s *system) cheapModes() bool {
	_, erlang := s.branchesOf().(*erlang)
	return !erlang || s.c > spectralServers || s.ar.classes > 1
}

// attempts returns what to try in turn.
func (s *system) attempts(st markov.Settings) ([]attempt, error) {
	modes := s.up[s.c].phases == 0
	if st.Method == SpectralExpansion {
		if modes {
			return []attempt{{SpectralExpansion, true}, {SpectralExpansion, false}}, nil
		}
		return []attempt{{SpectralExpansion, false}}, nil
	}
	chosen, ok := reduction.ByName(st.Method)
	if !ok {
		return nil, fmt.Errorf("no method %q for a multiserver queue, there are %s: %w",
			st.Method, strings.Join(Methods(), ", "), markov.ErrMethod)
	}
	list := make([]attempt, 0, 3)
	if (st.Method == "" || st.Method == markov.Auto) && s.worthExpanding() {
		if modes && s.cheapModes() {
			list = append(list, attempt{SpectralExpansion, true})
		}
		if k := occupancies(s.m, s.c); k >= spectralFrom && (s.c <= spectralServers || k >= spectralAlways) {
			list = append(list, attempt{SpectralExpansion, false})
		}
	}
	return append(list, attempt{chosen.Name, false}), nil
}
