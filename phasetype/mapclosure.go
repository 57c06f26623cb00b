package phasetype

import (
	"gonum.org/v1/gonum/mat"
)

// Speedup returns the same process with time running c times as fast: (c·D0, c·D1), arrival rate c·λ. It returns an
// *[Error] if c is not positive and finite, or too large or small for the rates. The zero value stays what it is.
func (m MAP) Speedup(c float64) (MAP, error) {
	if err := positive("c", -1, c); err != nil || m.n == 0 {
		return MAP{}, err
	}
	d0, d1 := m.D0(), m.D1()
	d0.Scale(c, d0)
	d1.Scale(c, d1)
	return NewMAP(d0, d1)
}

// Thin returns the process of the arrivals that are left if each is kept, independently, with probability p: (D0 +
// (1−p)·D1, p·D1), arrival rate p·λ. The index of dispersion I becomes 1 + p·(I−1). It returns an *[Error] if p is not
// in (0, 1], or so small that the rates underflow. The zero value stays what it is.
func (m MAP) Thin(p float64) (MAP, error) {
	switch {
	case !(p > 0 && p <= 1):
		return MAP{}, bad("p", -1, -1, "%v is not a positive probability", p)
	case m.n == 0:
		return MAP{}, nil
	}
	d0, d1 := m.D0(), m.D1()
	for i := range m.n {
		out := 0.0 // a sum keeps its digits where a difference from the diagonal would not
		for j := range m.n {
			all := d1.At(i, j)
			d1.Set(i, j, p*all)
			out += p * all
			if j != i {
				d0.Set(i, j, d0.At(i, j)+(1-p)*all)
				out += d0.At(i, j)
			}
		}
		d0.Set(i, i, -out)
	}
	return NewMAP(d0, d1)
}

// Superpose returns the process of the arrivals of two independent processes, (D0 ⊕ D0', D1 ⊕ D1') of order
// Phases(a)·Phases(b), whose rates add up. A process without phases adds nothing. It returns an *[Error] if the order
// exceeds [MaxPhases].
//
// Reference: M. F. Neuts, A versatile Markovian point process, J. Appl. Probab. 16 (1979) 764–779.
func Superpose(a, b MAP) (MAP, error) {
	switch {
	case a.n == 0:
		return b, nil
	case b.n == 0:
		return a, nil
	case a.n*b.n > MaxPhases:
		return MAP{}, bad("D0", -1, -1, "%d phases, at most %d are supported", a.n*b.n, MaxPhases)
	}
	n := a.n * b.n
	d0, d1 := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	kroneckerSum(d0, a.d0, a.n, b.d0, b.n)
	kroneckerSum(d1, a.d1, a.n, b.d1, b.n)
	return NewMAP(d0, d1)
}

// kroneckerSum sets dst to a⊗I + I⊗b.
func kroneckerSum(dst *mat.Dense, a []float64, na int, b []float64, nb int) {
	for i := range na {
		for j := range nb {
			s := i*nb + j
			for k := range na {
				dst.Set(s, k*nb+j, dst.At(s, k*nb+j)+a[i*na+k])
			}
			for k := range nb {
				dst.Set(s, i*nb+k, dst.At(s, i*nb+k)+b[j*nb+k])
			}
		}
	}
}
