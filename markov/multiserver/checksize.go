package multiserver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver/internal/solvesize"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
	"github.com/partwise/partwise/markov/parallel"
)

// CheckSize estimates the seconds that Solve takes on one core with AVX2, by the first of its methods whose memory
// fits. Nothing is solved or reserved. The result is 0 without an error if the queue is unstable, or so small that it
// certainly fits into st.Memory. A small queue is not checked. For an invalid queue the error is the same as for
// [Queue.Solve], but Speed is not called. It is ErrMethod if st.Method cannot solve the queue, a *[parallel.LimitError]
// if each method needs more memory than st.Memory, or the error of ctx.
func (q *Queue) CheckSize(ctx context.Context, st markov.Settings) (seconds float64, err error) {
	if q.certainlyFits(st.Memory) {
		return 0, nil
	}
	s, err := q.check(ctx, st.Memory)
	if err != nil {
		return 0, statespace.Prefixed(err)
	}
	rho, err := s.intensity(ctx, s.c)
	if err != nil || !markov.Stable(rho) {
		return 0, statespace.Prefixed(err)
	}
	attempts, err := s.attempts(ctx, st)
	if err != nil {
		return 0, statespace.Prefixed(err)
	}
	size, compared := s.dimensions(), s.comparesResult(attempts)
	fit, most := attemptsThatFit(size, st.Memory, attempts, compared)
	if err := describe(size, st.Memory.Check(most), attempts, compared); err != nil {
		return 0, statespace.Prefixed(err)
	}
	return size.Seconds(fit[0]), nil
}

// dimensions returns the sizes from which memory and time are estimated before anything is allocated. They are the
// numbers of servers, of phases of service, arrivals and the switch-over at level c, and of classes of arrivals. The
// switch-over has 0 phases if it takes no time. Two flags tell whether service has no cycles, and whether coefficients
// of modes are found by iteration. The occupancies need not be numbered yet.
func (s *system) dimensions() solvesize.Dimensions {
	return solvesize.Dimensions{
		Servers: s.c, ServicePhases: s.m, ArrivalPhases: s.ar.N, Classes: s.ar.Classes,
		SwitchOverPhases: s.up[s.c].Phases, Acyclic: s.ordered, Iteration: s.coefficientsByIteration(),
	}
}

// reserve reserves in memory the bytes of the largest attempt that fits; attempts are the methods to try in turn. If
// compared, the bytes include a comparison with the method without subtractions. It waits until other solves have
// released enough. It returns the attempts that fit into the limit, in their order, and the function with which the
// caller releases the bytes at the end. A nil memory limits this solve alone, to [parallel.DefaultMemory]. The error is
// a *[parallel.LimitError] if no attempt fits, or if the comparison does not fit, or the error of ctx. It names the
// numbers of servers and phases.
func (s *system) reserve(ctx context.Context, memory *markov.Memory, attempts []attempt, compared bool) (
	fit []attempt, release func(), err error) {
	size := s.dimensions()
	fit, most := attemptsThatFit(size, memory, attempts, compared)
	if release, err = memory.Reserve(ctx, most); err != nil {
		return nil, nil, describe(size, err, attempts, compared)
	}
	return fit, release, nil
}

// attemptsThatFit returns the attempts, methods to try in turn, that each need no more bytes than the limit of memory, and
// the number of bytes to reserve, as [solvesize.Dimensions.Fitting] says. If compared, this number is at least that of the
// method without subtractions, whether or not it fits. Nothing is reserved.
func attemptsThatFit(d solvesize.Dimensions, memory *markov.Memory, attempts []attempt, compared bool) (fit []attempt, most float64) {
	fit, most = d.Fitting(attempts, memory.Limit())
	if compared {
		most = max(most, d.Bytes(crossCheck))
	}
	return fit, most
}

// describe returns err with the numbers of servers, service phases and arrival phases added in front, or nil for nil.
// attempts are the methods to try in turn, at least one. If compared, the method without subtractions is needed as well.
// If err wraps a *[parallel.LimitError], what it says of all methods is set in place. The error then adds how many servers
// or service phases would fit, as [solvesize.Dimensions.Explain] says.
func describe(d solvesize.Dimensions, err error, attempts []attempt, compared bool) error {
	if err == nil {
		return nil
	}
	if compared {
		attempts = append(slices.Clone(attempts), crossCheck)
	}
	smaller := ""
	if size := (*parallel.LimitError)(nil); errors.As(err, &size) {
		smaller = d.Explain(size, attempts)
	}
	return fmt.Errorf("%v: %w%s", d, err, smaller)
}

// withLeftOut returns err, the error of the last of the attempts that were made: those of all that fit into memory. If err
// is a lack of accuracy and attempts were left out, it adds how much memory they need, as a *[parallel.LimitError]. If
// none was left out, it does so for the method without subtractions, unless this method fits.
func (s *system) withLeftOut(err error, memory *markov.Memory, all, made []attempt) error {
	if !errors.Is(err, markov.ErrInaccurate) && !errors.Is(err, markov.ErrNoConvergence) {
		return err
	}
	what := "a method with more digits"
	if len(made) == len(all) {
		all, what = []attempt{crossCheck}, crossCheck.Name
	}
	return s.dimensions().LeftOut(err, what, all, memory.Limit())
}
