package multiserver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// spectralExpansion returns X for service whose branches are known.
func (s *system) spectralExpansion(ctx context.Context, b *saturated) (x block.Matrix, off float64, err error) {
	if s.ar.Classes > 1 || !s.ar.Ordered {
		return x, 0, fmt.Errorf("spectral expansion with a switch-over when all servers are busy needs renewal "+
			"arrivals: %w", markov.ErrMethod)
	}
	t, err := s.station.MatrixT(ctx)
	if err != nil {
		return x, 0, fmt.Errorf("spectral expansion: %w", err)
	}
	return (&polishing{sys: s, saturated: b}).polish(ctx, t)
}

// polishing finds X from an approximation of T.
type polishing struct {
	*saturated
	sys *system
}

// Polishing stops when the changes that would follow are less than entryTol of each entry of T: they fall by the decay rate of the
// queue or faster in the end, however fast they fall at first. It fails if changes no longer fall by a factor of slowPolish per
// step, or after maxPolish steps, which take as long as a reduction.
const (
	entryTol   = 1e-11
	maxPolish  = 60
	slowPolish = 0.9
)

// polish turns T into X by steps of the fixed point iteration
//
//	Θ = L + T·V,  X = (A⊗I)·(−(D0⊕Θ))⁻¹,  T' = X·(F⊗I).
//
// A step subtracts nothing. So the last change of an entry, relative to the entry and over one minus the factor by which changes
// fall, bounds the error of the entry, however small the entry is and whatever the basis of eigenvectors has lost.
func (sp *polishing) polish(ctx context.Context, t block.Matrix) (x block.Matrix, off float64, err error) {
	s := sp.sys
	x = block.New(sp.k, s.ar.N*sp.k)
	next := block.New(sp.k, sp.k)
	last := math.Inf(1)
	_, _, gap := s.station.Caudal(ctx)
	for i, v := range t.Data {
		t.Data[i] = max(0, v)
	}
	for step := 1; step <= maxPolish; step++ {
		if err := sp.between(ctx, x, t); err != nil {
			return x, 0, fmt.Errorf("spectral expansion: %v: %w", err, markov.ErrInaccurate)
		}
		clear(next.Data)
		statespace.KronColsAdd(next, x, s.ar.F, sp.k)
		change := entryChange(t, next)
		slow := change > slowPolish*last
		if change <= entryTol*gap || change <= entryTol && slow {
			return x, change / gap, nil
		}
		if math.IsNaN(change) || step > 4 && slow {
			break
		}
		t, next = next, t
		last = change
	}
	return x, 0, fmt.Errorf("spectral expansion: the matrix from eigenvectors does not settle: %w", markov.ErrNoConvergence)
}

// entryChange returns the largest change of an entry relative to itself.
func entryChange(from, to block.Matrix) float64 {
	largest := 0.0
	for i, v := range to.Data {
		if d := math.Abs(v - from.Data[i]); d > largest*v {
			largest = d / v
		}
	}
	return largest
}

// between sets x, K × n·K, to where an interarrival time that starts at an arrival spends its time while Θ runs. Each
// s·I − Θ is an M-matrix whose row sums, s + departures − T·departures, are known without its diagonal.
func (sp *polishing) between(ctx context.Context, x, t block.Matrix) error {
	s, k := sp.sys, sp.k
	theta := block.NewScratch(k, k)
	defer theta.Release()
	sp.refill.MulKronRight(ctx, theta, t, 1)
	s.index.Local(s.c, s.t[s.c-1], nil).AddKron(theta, 1, 1)
	balance := block.MulVec(t, sp.departures)
	floats.Scale(-1, balance)
	floats.Add(balance, sp.departures)
	parts := make([]block.Matrix, s.ar.N) // X by arrival phase
	for a := range s.ar.N {
		p := block.ScratchOf(theta)
		defer p.Release()
		sums := append([]float64(nil), balance...)
		floats.AddConst(s.ar.Out[a], sums)
		part, err := sp.inPhase(ctx, a, p, sums, parts[:a])
		if err != nil {
			return err
		}
		defer part.Release()
		parts[a] = part
		for i := range k {
			copy(x.Row(i)[a*k:(a+1)*k], part.Row(i))
		}
	}
	return nil
}

// inPhase returns the columns of X of arrival phase a, a scratch block, from those of the phases before it: (A_a·I +
// Σ_b D0_ba·X_b)·(sums − p)⁻¹. It overwrites p and sums.
func (sp *polishing) inPhase(ctx context.Context, a int, p block.Matrix, sums []float64, before []block.Matrix) (
	block.Matrix, error) {
	ar := sp.sys.ar
	first := ar.A.At(0, a)
	from := block.NewScratch(sp.k, sp.k)
	for b, x := range before {
		if d := ar.D0.At(b, a); d != 0 {
			floats.AddScaled(from.Data, d, x.Data)
		}
	}
	if from.IsZero() { // no other phase leads here
		from.Release()
		part := block.ScratchOf(p)
		if err := block.InvertGTH(ctx, part, sums); err != nil {
			return part, err
		}
		floats.Scale(first, part.Data)
		return part, nil
	}
	for i := range sp.k {
		from.Row(i)[i] += first
	}
	f, err := block.FactorGTH(ctx, p, sums)
	if err != nil {
		return from, err
	}
	f.SolveLeftRows(ctx, from)
	return from, nil
}
