package markov

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/internal/incomplete"
	"github.com/partwise/partwise/markov/internal/reduction"
)

// decayMode is the geometric term of the levels of a process that decreases most slowly. Far above the boundary, the
// vector of a level is η times the vector of the level below. All are multiples of one vector v > 0 with Σ v = 1 and
//
//	v·A(η) = 0,  A(η) = Up/η + Local + η·Down,  0 < η < 1.
//
// A second root is η = 1. As v·A(η)·1 = (1/η − 1)·f with f = v·Up·1 − η·v·Down·1, the equations of the phases are
// replaced by
//
//	v·A(η) + (f − v·A(η)·1)·e = 0
//
// for a fixed distribution e, which has no root at η = 1 if the process is stable. They are solved by Newton's method,
// with GMRES for the linear equations. By Perron and Frobenius, v > 0 belongs to one η only.
//
// Reference: M. F. Neuts, The caudal characteristic curve of queues, Adv. Appl. Probab. 18 (1986) 221–254.
type decayMode struct {
	rows     [][]move  // transitions out of the phases of a repeating level
	up, down []float64 // total rates up and down
	out      []float64
	eta      float64
	v        []float64
	size     float64 // of the last step of Newton's method, relative to η and the entries of v
}

// newDecayMode finds the mode. The error wraps ErrNoConvergence, or is the error of ctx.
func newDecayMode(ctx context.Context, rows [][]move) (*decayMode, error) {
	n := len(rows)
	m := &decayMode{rows: rows, up: make([]float64, n), down: make([]float64, n), out: make([]float64, n)}
	for i, row := range rows {
		for _, t := range row {
			switch {
			case t.by > 0:
				m.up[i] += t.rate
			case t.by < 0:
				m.down[i] += t.rate
			}
			m.out[i] += t.rate
		}
	}
	const leastSweeps, mostSweeps = 50, 12800
	m.v = slices.Repeat([]float64{1 / float64(n)}, n)
	m.eta = floats.Sum(m.up) / floats.Sum(m.down)
	for sweeps := leastSweeps; sweeps <= mostSweeps; sweeps *= 4 {
		m.sweep(ctx, sweeps)
		found, err := m.newton(ctx)
		if found || err != nil {
			return m, err
		}
	}
	return nil, fmt.Errorf("decay of the levels: %w", ErrNoConvergence)
}

// sweep improves v and η by the power method. In each sweep phases receive what flows into them, and η is the ratio of the
// flows up and down.
func (m *decayMode) sweep(ctx context.Context, sweeps int) {
	for k := range sweeps {
		if block.Stopped(ctx, k) {
			return
		}
		m.eta = min(floats.Dot(m.v, m.up)/floats.Dot(m.v, m.down), 1)
		next := m.inflow(m.v, 1/m.eta, 1, m.eta)
		floats.Div(next, m.out)
		floats.Scale(1/block.Sum(next), next)
		floats.Add(m.v, next)
		floats.Scale(0.5, m.v)
	}
}

// inflow returns x·(up·Up + local·Local + down·Down), where Local has no diagonal.
func (m *decayMode) inflow(x []float64, up, local, down float64) []float64 {
	y, factors := make([]float64, len(x)), [3]float64{down, local, up}
	for i, row := range m.rows {
		for _, t := range row {
			y[t.to] += x[i] * t.rate * factors[t.by+1]
		}
	}
	return y
}

// pencil returns x·A(η).
func (m *decayMode) pencil(x []float64) []float64 {
	y := m.inflow(x, 1/m.eta, 1, m.eta)
	for i, v := range x {
		y[i] -= v * m.out[i]
	}
	return y
}

// newton improves v and η by Newton's method. It reports whether they converged to the mode.
func (m *decayMode) newton(ctx context.Context) (found bool, err error) {
	const mostSteps, tol = 30, 1e-14
	v, eta := slices.Clone(m.v), m.eta
	defer func() {
		if !found {
			m.v, m.eta = v, eta
		}
	}()
	last := math.Inf(1)
	for range mostSteps {
		size, err := m.newtonStep(ctx)
		if err != nil {
			return false, err
		}
		m.size = size
		switch {
		case !(m.eta > 0 && m.eta < 1), !(size < 1e3):
			return false, ctx.Err()
		case size <= tol, last <= 1e-10 && size >= last/2:
			return true, ctx.Err()
		}
		last = size
	}
	return false, ctx.Err()
}

// reversed returns the rates v_j·A_ji/v_i between the phases in reversed time.
func (m *decayMode) reversed() (incomplete.Rows, error) {
	b := newChainBuilder(len(m.rows))
	factors := [3]float64{m.eta, 1, 1 / m.eta}
	for i, row := range m.rows {
		for _, t := range row {
			b.add(i, int(t.to), t.rate*factors[t.by+1])
		}
		if err := b.endState(i); err != nil {
			return incomplete.Rows{}, err
		}
	}
	return b.chain.reversedRates(m.v), nil
}

// newtonStep makes a step, and returns its size relative to v and η. The last of the n + 1 unknowns is the change of η, and the last
// equation keeps the sum of v.
func (m *decayMode) newtonStep(ctx context.Context) (size float64, err error) {
	n := len(m.v)
	floats.Scale(1/block.Sum(m.v), m.v)
	reversed, err := m.reversed()
	if err != nil {
		return 0, err
	}
	const drop = 0.0004 // the matrix is small
	factor, err := incomplete.Eliminate(ctx, reversed, m.out, drop, nil)
	if err != nil {
		return 0, err
	}
	factor.Pivots[n-1] = reversed.Out(n - 1) // the equations have one solution only
	e := slices.Clone(m.v)
	flows := make([]float64, n+1)
	floats.MulTo(flows[:n], e, m.out)
	flows[n] = 1
	deflated := func(x []float64, slope float64) []float64 {
		y := append(x, 0)
		floats.AddScaled(y[:n], slope-block.Sum(x), e)
		return y
	}
	falling := floats.Dot(m.v, m.down)
	f := floats.Dot(m.v, m.up) - m.eta*falling
	residual := deflated(m.pencil(m.v), f)
	floats.Div(residual, flows)
	byEta := m.inflow(m.v, -1/(m.eta*m.eta), 0, 1) // derivative of v·A(η)
	solve := func(z []float64) []float64 {
		x := slices.Clone(z)
		floats.Mul(x[:n], m.out)
		factor.Solve(x[:n])
		floats.Mul(x[:n], e)
		return x
	}
	d, _ := reduction.GMRES(ctx, func(z []float64) []float64 {
		x := solve(z)
		change := m.pencil(x[:n])
		floats.AddScaled(change, x[n], byEta)
		y := deflated(change, floats.Dot(x[:n], m.up)-m.eta*floats.Dot(x[:n], m.down)-x[n]*falling)
		y[n] = block.Sum(x[:n])
		floats.Div(y, flows)
		return y
	}, residual, roundTol, 2*roundSteps)
	x := solve(d)
	for i, v := range x[:n] {
		size = max(size, math.Abs(v/m.v[i]))
		m.v[i] -= min(v, 0.9*m.v[i])
	}
	m.eta -= x[n]
	return size + math.Abs(x[n])/m.eta, ctx.Err()
}
