package block

// Polynomial is a product of linear polynomials. Its coefficients lie between zeros, which the kernels read.
type Polynomial struct {
	now, next []float64
	degree    int
}

// NewPolynomial returns a polynomial of up to the given degree. [Polynomial.Reset] must be called before it is used.
func NewPolynomial(most int) Polynomial {
	size := most + 1 + 2*MaxShift
	numbers := make([]float64, 2*size)
	return Polynomial{now: numbers[:size:size], next: numbers[size:]}
}

// Reset sets the polynomial to one.
func (p *Polynomial) Reset() {
	clear(p.now)
	clear(p.next)
	p.now[MaxShift], p.degree = 1, 0
}

// shifted holds the places of a coefficient and of the coefficient before it, for [combination].
var shifted = []int32{MaxShift, MaxShift - 1}

// Times multiplies the polynomial by linear[0] + linear[1]·x.
func (p *Polynomial) Times(linear []float64) {
	p.degree++
	n := PaddedLen(p.degree - 1)
	if n < p.degree+1 {
		n += 4
	}
	combination(p.next[MaxShift:MaxShift+n], linear, shifted, p.now, 1)
	p.now, p.next = p.next, p.now
}

// Coefficients returns the coefficients of 1, x, x², …. They are valid until the next call of Times or Reset.
func (p *Polynomial) Coefficients() []float64 { return p.now[MaxShift : MaxShift+p.degree+1] }
