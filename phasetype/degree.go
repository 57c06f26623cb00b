package phasetype

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// defaultTol is the relative size of changes of a representation that Degree and Reduce take for rounding.
const defaultTol = 1e-10

// Degree returns the degree of the rational Laplace transform alpha·(s·I − T)⁻¹·exit + atom: the order of the minimal
// matrix-exponential representation, which no phase-type representation goes below. A representation is minimal if it
// has no more phases; the converse does not hold, as the least order of a phase-type representation may be larger.
//
// Zeros that cancel poles are seen up to rounding, tol (1e-10 if it is not positive), after [Dist.Reduce]. In an
// acyclic representation they are looked for in canonical form 1, where a pole is superfluous if a relative change by
// tol of one entry makes it so. For others the degree is the rank of W·V, where the rows of W span what is reached from
// alpha and the columns of V what can be seen of the phases, both by resolvents (s·I − T)⁻¹ at values s between the
// slowest and fastest rates. What is within tol of being dependent counts as such; of many phases of nearly equal or
// widely spread rates that may be true although exact arithmetic would tell them apart.
//
// Reference: C. Commault, S. Mocanu, Phase-type distributions and representations: some results and open problems for
// system theory, Int. J. Control 76 (2003) 566–580.
func (d Dist) Degree(tol float64) int {
	if !(tol > 0) {
		tol = defaultTol
	}
	if d = d.Reduce(tol); d.IsZero() {
		return 0
	}
	if c, err := d.snapped(tol).canonicalOfAcyclic(); err == nil {
		return len(c.chain().cancelled(tol, false).rates)
	}
	seen := d.span(tol, ones(d.n), elimination.solve)
	reached := d.span(tol, d.alpha, elimination.solveRow)
	var product mat.Dense
	product.Mul(reached.T(), seen)
	var svd mat.SVD
	if !svd.Factorize(&product, mat.SVDNone) {
		return d.n // no smaller one was found
	}
	degree := 0
	for _, cosine := range svd.Values(nil) {
		if cosine > tol {
			degree++
		}
	}
	return degree
}

// span returns an orthonormal basis of what is generated from the start vector by resolvents of T.
func (d Dist) span(tol float64, start []float64, apply func(elimination, []float64)) *mat.Dense {
	resolvents := d.resolvents()
	var basis [][]float64
	v := append([]float64(nil), start...)
	for idle := 0; len(basis) < d.n && idle < len(resolvents); {
		if norm := orthogonalise(v, basis); norm > tol {
			basis = append(basis, v)
			idle = 0
		} else {
			idle++
		}
		// One resolvent after the other is applied to the newest direction.
		last := basis[len(basis)-1]
		v = append([]float64(nil), last...)
		apply(resolvents[(len(basis)+idle)%len(resolvents)], v)
	}
	out := mat.NewDense(d.n, len(basis), nil)
	for j, b := range basis {
		out.SetCol(j, b)
	}
	return out
}

// resolvents returns factors of s·I − T for s from the slowest to the fastest scale.
func (d Dist) resolvents() []elimination {
	const count = 8
	fast, slow := 0.0, 1/d.mean
	for i := range d.n {
		fast = math.Max(fast, -d.Rate(i, i))
		slow = math.Min(slow, -d.Rate(i, i))
	}
	var out []elimination
	for k := range count {
		s := slow * math.Pow(fast/slow, float64(k)/(count-1))
		killed := Dist{n: d.n, t: d.t, exit: append([]float64(nil), d.exit...)}
		for i := range killed.exit {
			killed.exit[i] += s
		}
		out = append(out, killed.eliminate())
	}
	return out
}

// orthogonalise makes v a unit vector orthogonal to the basis and returns how much of it that was, relative to its
// length. Twice is enough.
//
// Reference: B. N. Parlett, The Symmetric Eigenvalue Problem, Prentice-Hall, 1980, ch. 6.
func orthogonalise(v []float64, basis [][]float64) float64 {
	scale := norm(v)
	for range 2 {
		for _, b := range basis {
			p := dot(b, v)
			for i := range v {
				v[i] -= p * b[i]
			}
		}
	}
	left := norm(v)
	for i := range v {
		v[i] /= left
	}
	return left / scale
}

func norm(v []float64) float64 {
	var sum float64
	for _, x := range v {
		sum = math.Hypot(sum, x)
	}
	return sum
}

// chain returns the entries of a distribution in canonical form 1.
func (d Dist) chain() bidiagonal {
	c := bidiagonal{append([]float64(nil), d.alpha...), make([]float64, d.n)}
	for i := range c.rates {
		c.rates[i] = -d.Rate(i, i)
	}
	return c
}

// cancelled returns the chain without the phases whose pole is cancelled by a zero, as long as the entries of alpha
// remain nonnegative if that is asked for.
func (c bidiagonal) cancelled(tol float64, nonnegative bool) bidiagonal {
	for found := true; found && len(c.rates) > 1; {
		found = false
		for at := 0; at < len(c.rates) && !found; at++ {
			if at > 0 && c.rates[at] == c.rates[at-1] {
				continue // of equal ones the first
			}
			var less bidiagonal
			if less, found = c.without(at, tol, nonnegative); found {
				c = less
			}
		}
	}
	return c
}

// without undoes insert: it returns the chain without the phase at position at, of rate mu, if its ends with the phase
// inserted are alpha up to a relative change by tol of one entry. With q_k = λ_k/mu the entries a of the shorter chain
// satisfy
//
//	alpha_k = (1 − q_k)·a_k + q_{k−1}·a_{k−1},  k ≤ at,  alpha_{k+1} = a_k beyond,
//
// one equation more than unknowns: the one is left out that is then fulfilled best.
func (c bidiagonal) without(at int, tol float64, nonnegative bool) (out bidiagonal, ok bool) {
	n := len(c.rates)
	mu := c.rates[at]
	out = bidiagonal{make([]float64, n-1), append(append([]float64(nil), c.rates[:at]...), c.rates[at+1:]...)}
	copy(out.alpha[at:], c.alpha[at+1:])
	up, down := make([]float64, at+1), make([]float64, at+1) // a_k from the equations below, and above
	for k := range at {
		up[k] = c.alpha[k]
		if k > 0 {
			up[k] -= up[k-1] * (c.rates[k-1] / mu)
		}
		up[k] *= mu / (mu - c.rates[k])
	}
	for k := at; k > 0; k-- {
		down[k-1] = c.alpha[k]
		if k < at {
			down[k-1] -= down[k] * ((mu - c.rates[k]) / mu)
		}
		down[k-1] *= mu / c.rates[k-1]
	}
	best, leave := tol, -1
	for k := range at + 1 {
		var before, after float64
		if k > 0 {
			before = up[k-1] * (c.rates[k-1] / mu)
		}
		if k < at {
			after = down[k] * ((mu - c.rates[k]) / mu)
		}
		if nonnegative && !(positiveUpTo(tol, up[:k]) && positiveUpTo(tol, down[k:at])) {
			continue
		}
		scale := c.alpha[k] + math.Abs(before) + math.Abs(after)
		if miss := math.Abs(c.alpha[k] - before - after); miss <= best*scale {
			leave = k
			if scale > 0 {
				best = miss / scale
			}
		}
	}
	if leave < 0 {
		return bidiagonal{}, false
	}
	copy(out.alpha, up[:leave])
	copy(out.alpha[leave:at], down[leave:at])
	if nonnegative {
		for i, a := range out.alpha {
			out.alpha[i] = math.Max(a, 0)
		}
	}
	return out, true
}

func positiveUpTo(tol float64, v []float64) bool {
	for _, x := range v {
		if !(x >= -tol) {
			return false
		}
	}
	return true
}
