package multiserver

import (
	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// transitionProduct multiplies by the transitions W of a departure from one side, by U·diag(up) of an arrival from the
// other.
type transitionProduct struct {
	runs    []statespace.Run
	size    int // rows of U
	up      []float64
	rates   []float64 // of departures that shift
	weights []float64
	row     block.Matrix // a row that is combined before it is shifted in parts
}

func (u *transitionProduct) set(arrival *statespace.Sparse, up []float64) {
	u.runs, u.up = arrival.Runs(u.runs[:0]), up
	u.size = arrival.Rows
}

// arrivalShifts reports whether an arrival can change every occupancy in the same one or two ways, each of which shifts
// them all by as many places: so it is with two phases of service.
func (u *transitionProduct) arrivalShifts() bool {
	for _, r := range u.runs {
		if r.N < u.size || r.Col > block.MaxShift {
			return false
		}
	}
	return len(u.runs) <= 2
}

// departureShifts reports whether a departure turns an occupancy into that of the same place or of the place before it,
// as with two phases of service, and notes the rates of row i at 4i and 4i+2.
func (u *transitionProduct) departureShifts(departure *statespace.Sparse) bool {
	u.rates = u.rates[:4*departure.Rows]
	clear(u.rates)
	for i := range departure.Rows {
		cols, rates := departure.Row(i)
		for e, j := range cols {
			switch int(j) {
			case i:
				u.rates[4*i] += rates[e]
			case i - 1:
				u.rates[4*i+2] += rates[e]
			default:
				return false
			}
		}
	}
	return true
}

// combinePairs sets to = diag(over)·W·(V + diag(q))·U·diag(up), V being the rows of v from the given one on, where a
// row is a combination of two rows, each shifted in two ways at most.
func (u *transitionProduct) combinePairs(
	to block.Matrix, over []float64, departure *statespace.Sparse, v block.Padded, from int, q []float64) {
	first, second := u.runs[0], statespace.Run{}
	if len(u.runs) > 1 {
		second = u.runs[1]
	}
	u.weights = append(u.weights[:0], u.rates...)
	for i, scale := range over {
		w := u.weights[4*i : 4*i+4]
		stays, moves := w[0]*scale, w[2]*scale
		w[0], w[1], w[2], w[3] = stays*first.Val, stays*second.Val, moves*first.Val, moves*second.Val
	}
	v.CombineShifted(to, u.up, u.weights, from, [2]int{first.Col, second.Col})
	for i := range over {
		row, w := to.Row(i), u.weights[4*i:4*i+4]
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
func (u *transitionProduct) add(to []float64, j int, x float64) {
	if u.up != nil {
		x *= u.up[j]
	}
	to[j] += x
}

// combine is combinePairs for any number of phases.
func (u *transitionProduct) combine(
	to block.Matrix, over []float64, departure *statespace.Sparse, v block.Padded, from int, q []float64) {
	row := u.row.Data[:v.Cols]
	for i, scale := range over {
		cols, rates := departure.Row(i)
		u.weights = append(u.weights[:0], rates...)
		floats.Scale(scale, u.weights)
		v.Combine(row, u.weights, from, cols)
		for e, j := range cols {
			row[j] += u.weights[e] * q[j]
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
