package multiserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// SpectralExpansion names the method that only a [Queue] has; the other methods also solve a [markov.QBD].
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

// The automatic choice tries modes wherever there are any: they cost less than anything else. With a switch-over at level c a
// reduction takes no longer up to stagesFrom occupancies, and where service has two phases and arrivals are renewals: then levels
// have few occupancies for their number of servers. General service is followed from where its branches are known, for some tens of
// microseconds each: up to generalFrom phases of a level a reduction is done sooner. From
// polishedFrom occupancies on a reduction takes long where modes fail, and matrices from the modes of renewal arrivals are tried first.
const (
	stagesFrom   = 40
	generalFrom  = 24
	polishedFrom = 200
)

// worthExpanding reports whether the branches at level c are known and cost less than a reduction.
func (s *system) worthExpanding() bool {
	known, followed := s.station.Expandable()
	return known && (!followed || float64(s.ar.N)*occupancies(s.m, s.c) >= generalFrom)
}

// Rates that are more than manyDecades apart are solved without subtractions, or held against that solution: products
// of eigenvectors and factorisations with row exchanges may lose digits that the residual does not show. Levels of more
// than crossCheckTo phases are not, which would take longer than all the rest.
const (
	manyDecades  = 8
	crossCheckTo = 1000
)

var crossCheck = attempt{method: markov.SubtractionFree}

func (s *system) affordable() bool { return float64(s.ar.N)*occupancies(s.m, s.c) <= crossCheckTo }

// hasModes reports whether modes give the levels from c on: without a switch-over at level c, or with one whose phases are in order.
func (s *system) hasModes() bool {
	g := s.up[s.c]
	return g.phases == 0 || g.stages != nil
}

// attempts returns what to try in turn.
func (s *system) attempts(st markov.Settings) ([]attempt, error) {
	spectral := []attempt{{method: SpectralExpansion, modes: true}, {method: SpectralExpansion}}
	if s.ar.Classes > 1 || !s.ar.Ordered { // matrices are polished for renewal arrivals
		spectral = spectral[:1]
	}
	if st.Method == SpectralExpansion {
		if !s.hasModes() {
			spectral = spectral[1:]
		}
		if len(spectral) == 0 {
			return nil, fmt.Errorf("spectral expansion needs renewal arrivals or switch-overs without cycles: %w", markov.ErrMethod)
		}
		return spectral, nil
	}
	chosen, ok := reduction.ByName(st.Method)
	if !ok {
		return nil, fmt.Errorf("no method %q for a multiserver queue, there are %s: %w",
			st.Method, strings.Join(Methods(), ", "), markov.ErrMethod)
	}
	reduced := attempt{method: chosen.Name}
	switch switchOver := s.up[s.c].phases > 0; {
	case st.Method != "" && st.Method != markov.Auto:
	case s.decades > manyDecades && s.affordable():
		reduced = crossCheck
	case !s.worthExpanding() || !s.hasModes():
	case !switchOver || s.ordered && s.manyPhases() && occupancies(s.m, s.c) >= stagesFrom:
		if s.m == 2 || occupancies(s.m, s.c) < polishedFrom {
			spectral = spectral[:1]
		}
		return append(spectral, reduced), nil
	}
	return []attempt{reduced}, nil
}

// iteratedFrom is the number of modes without a switch-over from which their coefficients are found sooner by iteration than by
// elimination.
const iteratedFrom = 200

// iterates reports whether coefficients of modes are found by iteration: with a switch-over at level c, and elsewhere where they
// take long. The flow through the boundary is no matrix then.
func (s *system) iterates() bool {
	return s.up[s.c].phases > 0 || s.ordered && s.manyPhases() && float64(s.ar.Classes)*occupancies(s.m, s.c) >= iteratedFrom
}

// manyPhases reports whether levels have many occupancies for their number of servers. Of two phases and renewal arrivals the
// levels below c have nearly as many occupancies as level c: a step of the iteration takes as long as many columns of the matrix.
func (s *system) manyPhases() bool { return s.m > 2 || s.ar.Classes > 1 }
