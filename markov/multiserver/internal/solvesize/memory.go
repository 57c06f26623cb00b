// Package solvesize estimates the memory and the time of a solve of a queue with several servers, before anything is
// solved.
package solvesize

import (
	"github.com/partwise/partwise/markov/internal/reduction"
	"github.com/partwise/partwise/markov/multiserver/internal/statespace"
)

// Dimensions are the numbers on which the memory and the time of a solve depend. They are known before anything is
// solved; the letters are the symbols of the package comment.
type Dimensions struct {
	Servers          int  // c
	ServicePhases    int  // m
	ArrivalPhases    int  // n
	Classes          int  // r, classes of arrivals
	SwitchOverPhases int  // phases of the switch-over of level c, 0 for none
	Acyclic          bool // service has no cycles, so that the blocks of levels are triangular
	Iteration        bool // coefficients of modes are found by iteration, not by elimination
}

// Method is a way to solve the levels from c on.
type Method struct {
	Name  string // name of a reduction; any other name stands for spectral expansion
	Modes bool   // levels are sums of modes, without the matrices T and X
}

// BoundaryBytes estimates the bytes of the levels below c and of the occupancies of all levels. Each level has a matrix
// of visits for back substitution, or a smaller matrix if levels are thinned; see [statespace.Thinning]. Where service
// has cycles it has dense factors, too. Vectors, lists of neighbours and sparse matrices are added for each state and
// occupancy. The scratch of the elimination of one level is included.
func (d Dimensions) BoundaryBytes() float64 {
	n, r, m := float64(d.ArrivalPhases), float64(d.Classes), float64(d.ServicePhases)
	total, found, size := 0.0, 1.0, 1.0
	thin := statespace.NewThinning(func(l int) float64 { return statespace.Occupancies(d.ServicePhases, l) }, n, r, d.Servers-1)
	for l := 1; l <= d.Servers; l++ {
		found, size = size, statespace.Occupancies(d.ServicePhases, l)
		total += 8*size*(6*n+2*m+4) + 4*size*(7*m+2) + 12*n*size*(n+m)
		if l < d.Servers {
			if thin.Keeps(l, d.Servers-1) {
				total += 8 * r * found * n * size
			} else {
				total += 8 * r * found * r * found
			}
			if !d.Acyclic {
				total += 8 * n * size * n * size
			}
		}
	}
	return total + 8*(3*n+r)*size*r*size // of the level being eliminated, and of what returns to level c
}

// RepeatingBytes estimates the bytes of the repeating part, level c and above, by a method. With modes these are the
// modes and the factors from which their coefficients follow. Otherwise they are the matrices X and T with copies: mean
// times in states after an arrival, and arrivals from one level to the next. The matrices of a switch-over at level c
// are included. So are the blocks of the reduction, or the eigenvectors behind T.
func (d Dimensions) RepeatingBytes(by Method) float64 {
	n, r, k := float64(d.ArrivalPhases), float64(d.Classes), statespace.Occupancies(d.ServicePhases, d.Servers)
	wide := n * k
	modes := r * k
	p := float64(d.SwitchOverPhases)
	if by.Modes {
		squares := 3.0 // E − Φ·flow, its factors, and the factors of E
		if p > 0 {
			squares = 1 // the factors of E: with a switch-over coefficients are found by iteration alone
		}
		return 8*(2*modes*k+squares*modes*modes+2*wide+(p+min(p, 1))*modes*k) + d.vectorBytes(modes*(1+p))
	}
	total := 8 * (2*r*k*wide + 3*r*k*r*k) // X, its copy and T
	if p > 0 {
		total += 8 * (r*p*k*wide + 2*wide*wide)
	}
	if method, ok := reduction.ByName(by.Name); ok {
		return total + 8*float64(method.Blocks+3)*wide*wide
	}
	return total + 8*(10+2*n)*k*k + d.vectorBytes(k)
}

// vectorBytes returns the bytes of the eigenvectors of so many modes, for the estimate of memory. Each is stored as
// complex numbers of 16 bytes. These are at most m factors over the m service phases, and a part over the arrival
// phases and classes.
func (d Dimensions) vectorBytes(modes float64) float64 {
	m := d.ServicePhases
	return 16 * modes * (float64(min(d.Servers, m))*float64(m) + float64(d.ArrivalPhases+d.Classes))
}
