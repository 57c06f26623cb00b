package multiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/solvesize"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// SpectralExpansion is the name of the method that only a [Queue] has. The other methods also solve a [markov.QBD].
const SpectralExpansion = "spectral-expansion"

// Methods returns the names that Settings.Method accepts for a [Queue]: the automatic choice first, the others in
// alphabetical order.
func Methods() []string {
	names := append(markov.Methods(), SpectralExpansion)
	slices.Sort(names[1:])
	return names
}

// attempt is one way to solve the part of the queue at and above level c. Its name is one of [Methods], without the
// automatic choice.
type attempt = solvesize.Method

// The automatic choice tries modes wherever they are known, because they cost least. The limits are measured:
//
//   - stagesFrom: with a switch-over at level c and fewer occupancies, a reduction is as fast as modes.
//   - twoPhasesFrom, twoPhasesStep, twoPhasesTo: levels of two phases of service have few occupancies for their number of
//     servers. With renewal arrivals of several phases and a switch-over of s phases, modes take less time than a
//     reduction from twoPhasesFrom + s·twoPhasesStep occupancies on: .7 of its time at 33 and .4 at 65. Above
//     twoPhasesTo they mostly lose too many digits. With arrivals of one phase a reduction, of half the order, is as
//     fast as modes up to 70 occupancies.
//   - improvedTo: for such queues with at most so many occupancies, the matrix T from the eigenvectors takes .5 to .6 of
//     the time of a reduction. With more servers the eigenvectors lose so many digits that it takes too many steps to
//     improve T: half of the time is gained with 8 servers, none with 24.
//   - leastGap: the steps that improve T converge as powers of the decay rate. Above 1 − leastGap they are given up in most
//     queues that were drawn, below in 4 of 100.
//   - generalFrom: each root of general service is followed from a known point, for some tens of microseconds. With fewer
//     phases of a level a reduction is faster.
//   - improvedFrom: from so many occupancies on a reduction takes long. If modes fail there, the matrix T from the
//     eigenvectors of renewal arrivals is tried before the reduction.
const (
	stagesFrom    = 40
	twoPhasesFrom = 18
	twoPhasesStep = 6
	twoPhasesTo   = 80
	improvedTo    = 17
	leastGap      = 0.01
	generalFrom   = 24
	improvedFrom  = 200
)

// modesPay reports whether the modes at level c can be found, and cost less than a reduction. The automatic choice uses
// the answer. Erlang service always pays, and so do mixtures of exponentials under renewal arrivals without cycles. All
// other roots are followed along paths. These pay only if level c has at least generalFrom, 24, states in service:
// pairs of an arrival phase and an occupancy.
func (s *system) modesPay() bool {
	return s.station.Expandable(float64(s.ar.N)*statespace.Occupancies(s.m, s.c) >= generalFrom)
}

// Where rates are more than manyDecades apart, the queue is solved without subtractions, or the solution is compared
// with that method. Products of eigenvectors and factorisations with row exchanges can lose digits that the residual
// does not show. Levels of more than crossCheckTo phases are excluded, because the comparison would take longer than
// everything else.
const (
	manyDecades  = 8
	crossCheckTo = 1000
)

var crossCheck = attempt{Name: markov.SubtractionFree}

// fewEnoughToCompare reports whether level c has at most crossCheckTo, 1000, states in service: pairs of an arrival
// phase and an occupancy. Then a comparison with the method without subtractions takes little time.
func (s *system) fewEnoughToCompare() bool {
	return float64(s.ar.N)*statespace.Occupancies(s.m, s.c) <= crossCheckTo
}

// modesKnown reports whether the levels from c on are sums of modes: level c has no switch-over, or one whose phases
// have no cycle. Otherwise spectral expansion only gives the matrices X and T of [saturated], from which levels follow
// one by one. It does not check whether the roots of the service time can be found.
func (s *system) modesKnown() bool {
	g := s.up[s.c]
	return g.Phases == 0 || g.Stages != nil
}

// attempts returns the ways in which the settings let the queue be solved, at least one, in the order of trial. A way
// is a reduction, modes, or the matrices X and T of [saturated] from eigenvectors:
//
//   - A reduction that the settings name is the only attempt.
//   - Spectral expansion, if the settings name it: modes if [system.modesKnown], then matrices from eigenvectors for
//     renewal arrivals without cycles.
//   - The automatic choice takes the method without subtractions alone, if rates are more than manyDecades, 8, powers
//     of ten apart and [system.fewEnoughToCompare].
//   - Otherwise it takes cyclic reduction. It tries modes before, if [system.modesKnown] and [system.modesPay]. With a
//     switch-over at level c, [system.modesPayWithSwitchOver] must be true as well.
//   - Between the two it tries matrices from eigenvectors for renewal arrivals without cycles. There must be more than
//     two phases of service and at least improvedFrom, 200, occupancies.
//   - With a switch-over at level c, and if [system.matricesPay], it tries matrices from
//     eigenvectors in place of modes.
//
// The error wraps ErrMethod if the method of the settings is unknown or cannot solve the queue. Whether service has
// modes shows only when spectral expansion is tried.
func (s *system) attempts(ctx context.Context, st markov.Settings) ([]attempt, error) {
	spectral := []attempt{{Name: SpectralExpansion, Modes: true}, {Name: SpectralExpansion}}
	if s.ar.Classes > 1 || !s.ar.Ordered { // matrices from modes are improved for renewal arrivals only
		spectral = spectral[:1]
	}
	if st.Method == SpectralExpansion {
		if !s.modesKnown() {
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
	reduced := attempt{Name: chosen.Name}
	switch switchOver := s.up[s.c].Phases > 0; {
	case st.Method != "" && st.Method != markov.Auto:
	case s.decades > manyDecades && s.fewEnoughToCompare():
		reduced = crossCheck
	case !s.modesPay() || !s.modesKnown():
	case switchOver && s.matricesPay(ctx):
		return append(spectral[1:], reduced), nil
	case !switchOver || s.modesPayWithSwitchOver(ctx):
		if s.m == 2 || statespace.Occupancies(s.m, s.c) < improvedFrom {
			spectral = spectral[:1]
		}
		return append(spectral, reduced), nil
	}
	return []attempt{reduced}, nil
}

// modesPayWithSwitchOver reports whether modes take less time than a reduction with a switch-over at level c. Service
// must be acyclic. With [system.manyPhases] level c must have at least stagesFrom, 40, occupancies. Otherwise service
// has at most two phases and arrivals are renewal: they must have several phases without cycles. Level c must then have
// at least 18 + 6·s and at most 80 occupancies, with s phases of the switch-over. The decay rate must be from
// rarelyBusier, .25, to 1 − leastGap, .99. Outside, modes lose so many digits that a reduction follows in most queues;
// inside, in one of eight that were drawn. It is false if ctx has ended.
func (s *system) modesPayWithSwitchOver(ctx context.Context) bool {
	occupancies := statespace.Occupancies(s.m, s.c)
	switch {
	case !s.ordered:
		return false
	case s.manyPhases():
		return occupancies >= stagesFrom
	case s.m != 2 || s.ar.N == 1 || !s.ar.Ordered:
		return false
	case occupancies < twoPhasesFrom+twoPhasesStep*float64(s.up[s.c].Phases) || occupancies > twoPhasesTo:
		return false
	}
	_, decay, gap := s.station.Caudal(ctx)
	return gap >= leastGap && decay >= rarelyBusier
}

// matricesPay reports whether the matrix T from eigenvectors, improved by iteration, is found in less time than by a
// reduction: for renewal arrivals of several phases without cycles, and two phases of service, with at most improvedTo,
// 17, occupancies. The decay rate must be at most 1 − leastGap. It is false if ctx has ended.
func (s *system) matricesPay(ctx context.Context) bool {
	if s.m != 2 || s.ar.Classes > 1 || s.ar.N == 1 || !s.ar.Ordered || !s.ordered ||
		statespace.Occupancies(s.m, s.c) > improvedTo {
		return false
	}
	_, _, gap := s.station.Caudal(ctx)
	return gap >= leastGap
}

// iteratedFrom is the number of modes from which iteration finds their coefficients sooner than elimination, without a
// switch-over at level c.
const iteratedFrom = 200

// coefficientsByIteration reports whether the coefficients of the modes of level c are found by iteration, not by
// elimination; see [balance]. This is so with a switch-over at level c, and where elimination would take long: for
// service without cycles, [system.manyPhases] and at least iteratedFrom, 200, modes. Iteration needs no matrix of the
// flow through the levels below c, only its products with vectors. So the levels just below c need not be eliminated.
func (s *system) coefficientsByIteration() bool {
	return s.up[s.c].Phases > 0 || s.ordered && s.manyPhases() && float64(s.ar.Classes)*statespace.Occupancies(s.m, s.c) >= iteratedFrom
}

// manyPhases reports whether levels have many occupancies for their number of servers: three or more phases of service,
// or arrivals of more than one class. With two phases and renewal arrivals the levels below c have nearly as many
// occupancies as level c. Then a step of the iteration for the coefficients of modes takes as long as many columns of
// the matrix, and elimination is faster.
func (s *system) manyPhases() bool { return s.m > 2 || s.ar.Classes > 1 }

// comparesResult reports whether the result is compared with the method without subtractions, as [Solution.compare]
// does. This is so where rates are more than manyDecades, 8, powers of ten apart and [system.fewEnoughToCompare]. If
// the first attempt is that method itself, nothing is compared. attempts is the result of [system.attempts], at least
// one attempt.
func (s *system) comparesResult(attempts []attempt) bool {
	return s.decades > manyDecades && attempts[0] != crossCheck && s.fewEnoughToCompare()
}
