package multiserver

import (
	"context"
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

// The automatic choice tries modes wherever there are any: they cost less than anything else. With a switch-over at level c
// matrices are needed. The spectral expansion makes them from matricesFrom occupancies on, below which a reduction is as fast, and
// for more than two phases: with two, many occupancies are many servers, and polishing takes long where servers are many. General
// service is followed from where its branches are known, for some tens of microseconds each: up to generalFrom phases of a level
// a reduction is done sooner.
const (
	matricesFrom = 40
	generalFrom  = 24
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

// modesSuffice reports whether modes alone give the levels from c on: without a switch-over at level c, or with one whose phases
// are in order where coefficients are found by iteration. Other levels with a switch-over are solved as soon by matrices.
func (s *system) modesSuffice() bool {
	g := s.up[s.c]
	return g.phases == 0 || g.stages != nil && s.iterates()
}

// rarelyBusy is the product of the intensities of the levels, about the probability of level c, below which modes lose too many
// digits of the number waiting.
const rarelyBusy = 1e-6

// loses reports whether modes can be expected to lose too many digits.
func (s *system) loses(ctx context.Context) bool {
	busy := 1.0
	for l := 1; l <= s.c; l++ {
		rho, err := s.intensity(ctx, l)
		if err != nil {
			return false
		}
		busy *= min(1, rho)
	}
	return busy < rarelyBusy
}

// attempts returns what to try in turn.
func (s *system) attempts(ctx context.Context, st markov.Settings) ([]attempt, error) {
	modes := s.modesSuffice()
	renewal := s.ar.Classes == 1 && s.ar.Ordered // as matrices from eigenvectors need it
	if st.Method == SpectralExpansion {
		var list []attempt
		if modes {
			list = append(list, attempt{method: SpectralExpansion, modes: true})
		}
		if renewal || !modes {
			list = append(list, attempt{method: SpectralExpansion})
		}
		return list, nil
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
	if s.up[s.c].phases > 0 && occupancies(s.m, s.c) < stagesFrom {
		modes = false // a reduction is done sooner
	}
	if auto && s.worthExpanding() {
		matrices := renewal && s.m > 2 && occupancies(s.m, s.c) >= matricesFrom
		if modes && !(s.affordable() && (matrices || s.up[s.c].phases > 0) && s.loses(ctx)) {
			list = append(list, attempt{method: SpectralExpansion, modes: true})
		}
		if matrices {
			list = append(list, attempt{method: SpectralExpansion})
		}
	}
	return append(list, attempt{method: chosen.Name}), nil
}

// stagesFrom is the number of occupancies from which modes with a switch-over take less time than a reduction, iteratedFrom the
// number of modes without one from which their coefficients are found sooner by iteration than by elimination.
const (
	stagesFrom   = 40
	iteratedFrom = 200
)

// iterates reports whether coefficients of modes are found by iteration: with a switch-over at level c, and elsewhere where they
// take long. The flow through the boundary is no matrix then. Of two phases and renewal arrivals the levels below c have nearly as
// many occupancies as level c: a step of the iteration takes as long as many columns of the matrix.
func (s *system) iterates() bool {
	r := s.ar.Classes
	return s.ordered && (s.m > 2 || r > 1) && (s.up[s.c].phases > 0 || float64(r)*occupancies(s.m, s.c) >= iteratedFrom)
}
