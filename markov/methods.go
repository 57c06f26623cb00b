package markov

import (
	"fmt"
	"sort"
	"strings"
)

// Names of methods for Settings.Method.
const (
	Auto                 = "auto"
	CyclicReduction      = "cyclic-reduction"
	LogarithmicReduction = "logarithmic-reduction"
	// SubtractionFree is the cyclic reduction with the levels summed by doubling too, instead of by a factorisation
	// with exchanges: nothing is subtracted on the way to a probability or a mean, so that each has the digits of the
	// rates and of their distance from saturation, however stiff the chain. It takes somewhat longer.
	SubtractionFree   = "subtraction-free"
	SpectralExpansion = "spectral-expansion" // of a Multiserver only
)

// method is a way to solve the repeating part of any chain.
type method struct {
	reduce reduction
	sum    func(m matrix) geometric
}

var methods = map[string]method{
	CyclicReduction:      {cyclicReduction, byFactors},
	LogarithmicReduction: {logarithmicReduction, byFactors},
	SubtractionFree:      {cyclicReduction, byDoubling},
}

// Methods lists the names that Settings.Method accepts.
func Methods() []string {
	names := []string{Auto, SpectralExpansion}
	for name := range methods {
		names = append(names, name)
	}
	sort.Strings(names[1:])
	return names
}

// chosen returns the method that is asked for, and its name.
func (s Settings) chosen() (string, method, error) {
	name := s.Method
	if name == "" || name == Auto {
		name = CyclicReduction
	}
	if m, ok := methods[name]; ok {
		return name, m, nil
	}
	if name == SpectralExpansion {
		return "", method{}, fmt.Errorf("markov: %s is for multiserver queues: %w", name, ErrMethod)
	}
	return "", method{}, fmt.Errorf("markov: unknown method %q, known are %s: %w", name, strings.Join(Methods(), ", "), ErrMethod)
}

func (s Settings) maxIter() int {
	if s.MaxIter > 0 {
		return s.MaxIter
	}
	return defaultMaxIter
}

// defaultTolerance is a residual that a solution with ten good digits stays well below.
const defaultTolerance = 1e-10

func (s Settings) tolerance() float64 {
	if s.Tolerance > 0 {
		return s.Tolerance
	}
	return defaultTolerance
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
// 3e9 for 64 servers with two phases, where polishing no longer makes up for it. Branches of general service are followed
// from where they are known, for some tens of microseconds each: up to generalFrom phases of a level a reduction is done
// sooner.
const (
	spectralFrom    = 6
	spectralServers = 48
	generalFrom     = 24
)

// worthExpanding reports whether the branches at level c are known and cost less than a reduction.
func (s *system) worthExpanding() bool {
	switch s.branchesOf().(type) {
	case nil:
		return false
	case *rational:
		return s.ar.n*s.lat.size(s.c) >= generalFrom
	}
	return true
}

// cheapModes reports whether modes are worth trying before matrices. Those of Erlang service, with many complex branches,
// take half the time of the matrices; and where static partitioning stands beside dynamic partitioning, the matrices are
// there already ([Shared]).
func (s *system) cheapModes() bool {
	_, erlang := s.branchesOf().(*erlang)
	return !erlang || s.c > spectralServers
}

// attempts returns what to try in turn.
func (s *system) attempts(st Settings) ([]attempt, error) {
	modes := s.up[s.c].s == 0
	if st.Method == SpectralExpansion {
		if modes {
			return []attempt{{SpectralExpansion, true}, {SpectralExpansion, false}}, nil
		}
		return []attempt{{SpectralExpansion, false}}, nil
	}
	name, _, err := st.chosen()
	if err != nil {
		return nil, err
	}
	list := make([]attempt, 0, 3)
	if (st.Method == "" || st.Method == Auto) && s.ar.ordered && s.worthExpanding() {
		if modes && s.cheapModes() {
			list = append(list, attempt{SpectralExpansion, true})
		}
		if s.lat.size(s.c) >= spectralFrom && s.c <= spectralServers {
			list = append(list, attempt{SpectralExpansion, false})
		}
	}
	return append(list, attempt{name, false}), nil
}
