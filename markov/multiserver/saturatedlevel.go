package multiserver

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/spectrum"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// saturated is a level with all c servers busy, which repeats from level c on, without switch-overs. Dynamic
// partitioning among more than c jobs and static partitioning into c partitions have it in common. Let U be the
// generator of its n·K states observed until the chain first goes to a lower level, and N = (−U)⁻¹. Only the mean times
// X in each state between an arrival and the first passage to a lower level are needed:
//
//	X = (A⊗I)·N, r·K × n·K    T = X·(F⊗I), r·K × r·K    R = (F⊗I)·X    R^k = (F⊗I)·T^{k−1}·X
//
// T takes arrivals, by class and occupancy, from one level to the next. Arrivals are distinguished by class, so T has
// order r·K instead of n·K. The package comment defines the other symbols.
type saturated struct {
	method     string
	iterations int

	k          int // K, occupancies of c jobs
	moves      moves
	refill     *statespace.Sparse // V: rates of a departure after which the first waiting job starts, K×K
	departures []float64          // total rate of departures by occupancy, V·1

	// Either Modes is set, or x, t and sumT are.
	x          block.Matrix        // X, r·K × n·K
	entryError float64             // relative error of an entry of T beyond rounding
	t          block.Matrix        // T, r·K × r·K
	sumT       reduction.Geometric // solves with I − T
	*spectrum.Modes
}

// newSaturated returns level c with all servers busy, which repeats above, solved by the method of an attempt. The
// result holds either modes or the matrices X and T of [saturated]: mean times in states after an arrival, and arrivals
// from one level to the next. A switch-over at level c is left out. The error comes from [system.saturatedByModes] or
// [system.saturatedByMatrices].
func (s *system) newSaturated(ctx context.Context, try attempt) (*saturated, error) {
	if try.Modes {
		return s.saturatedByModes(ctx)
	}
	return s.saturatedByMatrices(ctx, try.Name)
}

// unsolvedSaturated returns level c with all servers busy, which repeats above, with its transitions: k, refill, moves
// and departures. method is the name of the method that is to solve it; x, t, sumT and Modes are not set. The
// occupancies must be numbered; see [system.allocate].
func (s *system) unsolvedSaturated(method string) *saturated {
	return &saturated{
		method: method, k: s.index.Size(s.c), moves: s.moves(s.c), departures: s.departureRates(s.c),
		refill: s.index.Product(s.index.Departure(s.c, s.exit[s.c-1], nil), s.newJobs(s.c-1)),
	}
}

// saturatedByModes returns level c with all servers busy, solved by the modes of a spectral expansion, without the
// modes of a switch-over. The matrices x, t and sumT are not set. The error wraps ErrMethod if service fits no family
// of known modes, ErrNoConvergence if modes are missing, or is the error of ctx.
func (s *system) saturatedByModes(ctx context.Context) (*saturated, error) {
	b := s.unsolvedSaturated(SpectralExpansion)
	var err error
	if b.Modes, err = s.station.Modes(ctx); err != nil {
		return nil, fmt.Errorf("spectral expansion: %w", err)
	}
	return b, nil
}

// duringSwitchOver returns b with the modes of the switch-over of level c added. b is level c with all servers busy,
// solved by modes. It returns b itself if there is no switch-over. b may be shared between queues and is not modified;
// the new modes share the vectors over occupancies with b. The switch-over must have stages, as [system.modesKnown]
// tells. The error wraps ErrMethod if modes cannot describe the switch-over, or comes from ctx.
func (s *system) duringSwitchOver(ctx context.Context, b *saturated) (*saturated, error) {
	g := s.up[s.c]
	if g.Phases == 0 {
		return b, nil
	}
	modes, err := b.During(ctx, s.ar, *g.Stages, b.refill)
	if err != nil {
		return nil, fmt.Errorf("spectral expansion: %w", err)
	}
	t := *b
	t.Modes = modes
	return &t, nil
}

// saturatedByMatrices returns level c with all servers busy, solved by the matrices X and T of [saturated]. X holds
// mean times in the states between an arrival and the first passage to a lower level. T takes arrivals from one level
// to the next. X comes from the named reduction, or from eigenvectors if the name is no reduction; these need renewal
// arrivals. It also sets sumT, which sums over the levels, and iterations or entryError.
//
// The error wraps ErrInaccurate if first passage down is not certain. Otherwise it comes from
// [system.sojournsByReduction], [system.sojournsFromModes] or ctx.
func (s *system) saturatedByMatrices(ctx context.Context, name string) (*saturated, error) {
	b := s.unsolvedSaturated(name)
	sum := reduction.ByFactors
	var err error
	if method, ok := reduction.ByName(name); ok {
		sum = method.Sum
		b.x, b.iterations, err = s.sojournsByReduction(ctx, b, method)
	} else {
		b.x, b.entryError, err = s.sojournsFromModes(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	if err := b.checkBalance(); err != nil {
		return nil, err
	}
	b.t = block.New(b.x.Rows, b.x.Rows)
	statespace.KronColsAdd(b.t, b.x, s.ar.F, b.k)
	b.sumT = sum(ctx, b.t)
	return b, ctx.Err()
}

// sojournsByReduction returns the mean times x in each state in service between an arrival and the first passage to a
// lower level. It also returns the iterations of the reduction. x has a row for each class and occupancy, r·K, and a
// column for each arrival phase and occupancy, n·K, the occupancy as minor index. The transitions of b must be set; b
// stays unchanged.
//
// The reduction gives the rates U between the states, watched until the level is left downward, and x solves x·(−U) =
// A⊗I. The rows of −U sum to the rates of departure, so the factorisation subtracts nothing. The error comes from the
// reduction, or is ErrReducible if the factorisation finds a state that is never left, or the error of ctx.
func (s *system) sojournsByReduction(ctx context.Context, b *saturated, method reduction.Method) (
	x block.Matrix, iterations int, err error) {
	blocks := s.repeatingBlocks(ctx, b)
	defer blocks.Release()
	if err := ctx.Err(); err != nil {
		return x, 0, err
	}
	u, iterations, err := s.censoredByReduction(ctx, blocks, method)
	if err != nil {
		return x, iterations, err
	}
	f, err := block.FactorGTH(ctx, u, slices.Repeat(b.departures, s.ar.N))
	if err != nil {
		return x, iterations, err
	}
	x = block.KronIdentity(s.ar.A, b.k)
	f.SolveLeftRows(ctx, x)
	return x, iterations, ctx.Err()
}

// censoredByReduction returns the rates U between the states in service of a level, watched until the level is left
// downward, and the number of iterations. The diagonal of U is not set. blocks are those of [system.repeatingBlocks]. With
// one server [reduction.OneServer] takes the place of cyclic reduction, if it converges. The error comes from the method,
// or from ctx.
func (s *system) censoredByReduction(ctx context.Context, blocks reduction.Blocks, method reduction.Method) (
	u block.Matrix, iterations int, err error) {
	if s.c == 1 && method.Name == markov.CyclicReduction {
		if u, iterations, ok, err := reduction.OneServer(ctx, blocks, s.ar.N); ok || err != nil {
			return u, iterations, err
		}
	}
	u, _, iterations, err = method.Reduce(ctx, blocks, nil)
	return u, iterations, err
}

// balanceTol is the largest |X·departures − 1| that is accepted. First passage to a lower level is certain, so
// X·departures = 1. A method with a larger difference has failed.
const balanceTol = 1e-7

// checkBalance returns an error that wraps ErrInaccurate if first passage to a lower level is not certain. x holds the
// mean times in the states from an arrival to this passage. If a row of x times the departure rates differs from one by
// more than balanceTol, 10⁻⁷, or is NaN, the method has failed. Otherwise it returns nil. x and departures must be set.
func (b *saturated) checkBalance() error {
	departures := slices.Repeat(b.departures, b.x.Cols/b.k)
	for i := range b.x.Rows {
		if off := floats.Dot(b.x.Row(i), departures) - 1; !(math.Abs(off) <= balanceTol) {
			return fmt.Errorf("%s: first passage is certain up to %.1g: %w", b.method, off, markov.ErrInaccurate)
		}
	}
	return nil
}

// censoredRates returns the rates U between the states in service of level c, watched until the chain first goes lower.
// The matrix has a row and a column for each arrival phase and occupancy. Its diagonal differs from the diagonal of U
// and must not be read. The rows of U, with the diagonal, sum to minus the departure rates. x, moves and refill of b
// must be set. The result is a scratch block that the caller releases, incomplete if ctx ends.
//
// U is D0⊕L + (F⊗I)·(A⊗I)·G. D0 and L are the moves of arrival and service phases. F holds the rates of arrivals, and A
// the phases after them. G is the distribution of the first passage back from one level higher.
func (s *system) censoredRates(ctx context.Context, b *saturated) block.Matrix {
	passage := block.NewScratch(b.x.Rows, b.x.Cols) // (A⊗I)·G
	defer passage.Release()
	for i := range b.x.Rows {
		if block.Stopped(ctx, i) {
			break
		}
		b.refill.KronLeft(passage.Row(i), b.x.Row(i), s.ar.N)
	}
	u := block.NewScratch(b.x.Cols, b.x.Cols)
	b.moves.Off.AddKron(u, 1, 1)
	statespace.KronRowsAdd(ctx, u, s.ar.F, passage, b.k)
	return u
}

// repeatingBlocks returns the blocks of the MAP/PH/c queue above level c, from which a reduction solves it: rates Up by
// arrivals, Local within a level (without diagonal) and Down by departures. Each has a row and a column for each
// arrival phase and occupancy, the occupancy as minor index. The refill and moves of b must be set. The caller
// releases them. They are incomplete if ctx ends.
func (s *system) repeatingBlocks(ctx context.Context, b *saturated) reduction.Blocks {
	down := block.NewScratch(s.ar.N*b.k, s.ar.N*b.k)
	b.refill.AddKron(down, 1, s.ar.N)
	local := block.NewScratch(down.Rows, down.Cols)
	b.moves.Off.AddKron(local, 1, 1)
	return reduction.Blocks{Up: block.ScratchKronIdentity(block.Mul(ctx, s.ar.F, s.ar.A), b.k), Local: local, Down: down}
}

// sharedSaturated returns the result of [system.newSaturated], which several queues can share and must not modify.
// Queues with the same arrivals, servers and service at and above level c solve it once: one solves, the others wait.
// If shared is nil, nothing is shared. The errors come from newSaturated. If ctx ends while another queue solves, the
// error comes from ctx.
func (s *system) sharedSaturated(ctx context.Context, shared *markov.Shared, try attempt) (*saturated, error) {
	if shared == nil {
		return s.newSaturated(ctx, try)
	}
	part, err := shared.Do(ctx, s.saturatedKey(try), func() (any, error) {
		return s.newSaturated(ctx, try)
	})
	b, _ := part.(*saturated) // nothing if the wait for it was cut short
	return b, err
}

// saturatedKey identifies everything that newSaturated depends on: a text of the attempt, the number of servers, and
// the matrices of arrivals and service with c jobs. Numbers are written with enough digits to tell them apart.
type saturatedKey string

// saturatedKey returns the key under which queues share level c with all servers busy, solved by the method of an
// attempt. Two keys are equal if attempt, arrivals, number of servers and service with c jobs are the same, digit by
// digit.
func (s *system) saturatedKey(try attempt) saturatedKey {
	c := s.c - 1
	return saturatedKey(fmt.Sprint(try, s.c, s.ar.D0.Data, s.ar.F.Data, s.ar.A.Data, s.alpha[c], s.t[c].Data, s.exit[c]))
}
