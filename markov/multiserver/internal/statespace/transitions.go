package statespace

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// TransitionProduct multiplies by the transitions W of a departure from one side, by U·diag(up) of an arrival from the
// other.
type TransitionProduct struct {
	runs    []Run
	size    int // rows of U
	up      []float64
	Rates   []float64 // of departures that shift
	Weights []float64
	Row     block.Matrix // a row that is combined before it is shifted in parts
}

// Set prepares products with the transitions of an arrival, and the factors up of its states.
func (u *TransitionProduct) Set(arrival *Sparse, up []float64) {
	u.runs, u.up = arrival.Runs(u.runs[:0]), up
	u.size = arrival.Rows
}

// ArrivalShifts reports whether an arrival can change every occupancy in the same one or two ways, each of which shifts
// them all by as many places: so it is with two phases of service.
func (u *TransitionProduct) ArrivalShifts() bool {
	for _, r := range u.runs {
		if r.N < u.size || r.Col > block.MaxShift {
			return false
		}
	}
	return len(u.runs) <= 2
}

// DepartureShifts reports whether a departure turns an occupancy into that of the same place or of the place before it,
// as with two phases of service, and notes the rates of row i at 4i and 4i+2.
func (u *TransitionProduct) DepartureShifts(departure *Sparse) bool {
	u.Rates = u.Rates[:4*departure.Rows]
	clear(u.Rates)
	for i := range departure.Rows {
		cols, rates := departure.Row(i)
		for e, j := range cols {
			switch int(j) {
			case i:
				u.Rates[4*i] += rates[e]
			case i - 1:
				u.Rates[4*i+2] += rates[e]
			default:
				return false
			}
		}
	}
	return true
}

// CombinePairs sets to = diag(over)·W·(V + diag(q))·U·diag(up), V being the rows of v from the given one on, where a
// row is a combination of two rows, each shifted in two ways at most.
func (u *TransitionProduct) CombinePairs(
	to block.Matrix, over []float64, departure *Sparse, v block.Padded, from int, q []float64) {
	first, second := u.runs[0], Run{}
	if len(u.runs) > 1 {
		second = u.runs[1]
	}
	u.Weights = append(u.Weights[:0], u.Rates...)
	for i, scale := range over {
		w := u.Weights[4*i : 4*i+4]
		stays, moves := w[0]*scale, w[2]*scale
		w[0], w[1], w[2], w[3] = stays*first.Val, stays*second.Val, moves*first.Val, moves*second.Val
	}
	v.CombineShifted(to, u.up, u.Weights, from, [2]int{first.Col, second.Col})
	for i := range over {
		row, w := to.Row(i), u.Weights[4*i:4*i+4]
		if i < len(q) {
			u.add(row, i+first.Col, w[0]*q[i])
			u.add(row, i+second.Col, w[1]*q[i])
		}
		if i > 0 {
			u.add(row, i-1+first.Col, w[2]*q[i-1])
			u.add(row, i-1+second.Col, w[3]*q[i-1])
		}
	}
}

// add adds x·up[j] to entry j.
func (u *TransitionProduct) add(to []float64, j int, x float64) {
	if u.up != nil {
		x *= u.up[j]
	}
	to[j] += x
}

// Combine is CombinePairs for any number of phases.
func (u *TransitionProduct) Combine(
	to block.Matrix, over []float64, departure *Sparse, v block.Padded, from int, q []float64) {
	row := u.Row.Data[:v.Cols]
	for i, scale := range over {
		cols, rates := departure.Row(i)
		u.Weights = append(u.Weights[:0], rates...)
		floats.Scale(scale, u.Weights)
		v.Combine(row, u.Weights, from, cols)
		for e, j := range cols {
			row[j] += u.Weights[e] * q[j]
		}
		dst := to.Row(i)
		clear(dst)
		for _, r := range u.runs {
			floats.AddScaled(dst[r.Col:r.Col+r.N], r.Val, row[r.Row:r.Row+r.N])
		}
		if u.up != nil {
			floats.Mul(dst, u.up)
		}
	}
}
