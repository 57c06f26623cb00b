package block

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactPerron returns the spectral radius of an irreducible matrix, from powers of M + σ·I with 400 bits and exponents
// without bounds. By Collatz and Wielandt it lies between the smallest and the largest (M·y)_i/y_i for every y > 0; the
// function fails the test unless the two agree in 20 digits.
func exactPerron(t *testing.T, m Matrix) float64 {
	t.Helper()
	n := m.Rows
	exact := make([]*big.Float, n*n)
	for i, v := range m.Data {
		exact[i] = number(v)
	}
	power := make([]*big.Float, n*n)
	shift := largestCycle(m)
	for i := range power {
		power[i] = number(m.Data[i])
		if i%(n+1) == 0 {
			power[i].Add(power[i], shift)
		}
	}
	ones := make([]*big.Float, n)
	for i := range ones {
		ones[i] = number(1)
	}
	for range 120 {
		power = product(power, power, n, n)
		exponent := math.MinInt
		for _, v := range power {
			if v.Sign() > 0 {
				exponent = max(exponent, v.MantExp(nil))
			}
		}
		for _, v := range power {
			v.SetMantExp(v, -exponent)
		}
		y := product(power, ones, n, 1)
		least, most := number(math.Inf(1)), number(0)
		for i, v := range product(exact, y, n, 1) {
			ratio := v.Quo(v, y[i])
			if ratio.Cmp(least) < 0 {
				least = ratio
			}
			if ratio.Cmp(most) > 0 {
				most = ratio
			}
		}
		if off := number(0).Sub(most, least); off.Cmp(number(0).Mul(number(1e-20), most)) <= 0 {
			value, _ := most.Float64()
			return value
		}
	}
	t.Fatal("the powers do not settle")
	return 0
}

// number returns v with the precision of [exactPerron].
func number(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }

// product returns a·b for a matrix a of n rows and columns and a matrix b of n rows.
func product(a, b []*big.Float, n, cols int) []*big.Float {
	c := make([]*big.Float, n*cols)
	for i := range n {
		for j := range cols {
			sum := number(0)
			for k := range n {
				sum.Add(sum, number(0).Mul(a[i*n+k], b[k*cols+j]))
			}
			c[i*cols+j] = sum
		}
	}
	return c
}

// largestCycle returns the largest geometric mean of the entries on a cycle, up to roundings of its exponent.
func largestCycle(m Matrix) *big.Float {
	n, largest := m.Rows, math.Inf(-1)
	path := make([]float64, n*n) // logarithms of the largest products of k entries on paths
	logs := make([]float64, n*n)
	for i, v := range m.Data {
		logs[i] = math.Log2(v)
	}
	copy(path, logs)
	for k := 1; k <= n; k++ {
		for i := range n {
			largest = max(largest, path[i*n+i]/float64(k))
		}
		next := make([]float64, n*n)
		for i := range n {
			for j := range n {
				next[i*n+j] = math.Inf(-1)
				for l := range n {
					next[i*n+j] = max(next[i*n+j], path[i*n+l]+logs[l*n+j])
				}
			}
		}
		path = next
	}
	whole := math.Floor(largest)
	f := new(big.Float).SetPrec(400).SetFloat64(math.Exp2(largest - whole))
	return f.SetMantExp(f, int(whole))
}

// TestPerronOverManyDecades: the spectral radius has all digits where entries span up to 400 decades, and where the cycles of
// one or two states are so slow beside longer cycles that powers are periodic for a long time.
func TestPerronOverManyDecades(t *testing.T) {
	worst := 0.0
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(41, seed))
		n := 3 + r.IntN(5)
		decades := []float64{1, 10, 30, 60, 100, 200, 400}[r.IntN(7)]
		zeros := []float64{0, .3, .6, 1}[r.IntN(4)]
		m := New(n, n)
		for i := range n {
			for j := range n {
				if (i+1)%n == j || r.Float64() >= zeros {
					m.Row(i)[j] = r.Float64() * math.Pow(10, decades*(r.Float64()-.5))
				}
			}
		}
		want, got := exactPerron(t, m), Perron(t.Context(), m)
		off := math.Abs(got/want - 1)
		if worst = max(worst, off); !(off <= 1e-14) {
			t.Errorf("seed %d, %d states over %v decades, zeros %v: %v, want %v, off by %.2g", seed, n, decades, zeros, got, want,
				got/want-1)
		}
	}
	t.Logf("largest error %.2g", worst)
}

// TestPerronOfReducible: the spectral radius of a matrix of classes is that of one of the classes, however large the entries
// are by which a class leads to others. A class of one state is on no cycle if its diagonal entry is zero.
func TestPerronOfReducible(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(7, seed))
		decades := []float64{1, 30, 100, 200, 300, 500}[r.IntN(6)]
		entry := func() float64 { return r.Float64() * math.Pow(10, decades*(r.Float64()-.5)) }
		sizes := []int{1 + r.IntN(3), 1 + r.IntN(3), 1 + r.IntN(3)}
		n := sizes[0] + sizes[1] + sizes[2]
		place := r.Perm(n)
		m, want, first := New(n, n), 0.0, 0
		for _, size := range sizes {
			class := New(size, size)
			for i := range class.Data {
				if size > 1 || r.IntN(3) > 0 {
					class.Data[i] = entry()
				}
			}
			for i := range size {
				row := m.Row(place[first+i])
				for j := first; j < n; j++ {
					if j < first+size {
						row[place[j]] = class.At(i, j-first)
					} else if r.Float64() < .6 {
						row[place[j]] = entry()
					}
				}
			}
			if size > 1 || class.Data[0] > 0 {
				want = max(want, exactPerron(t, class))
			}
			first += size
		}
		if got := Perron(t.Context(), m); !(math.Abs(got-want) <= 1e-14*want) {
			t.Errorf("seed %d, classes of %d states over %v decades: %v, want %v", seed, sizes, decades, got, want)
		}
	}
}
