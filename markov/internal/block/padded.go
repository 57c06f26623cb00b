package block

// MaxShift is the largest number of places by which rows can be read shifted.
const MaxShift = 4

// PaddedLen returns the padded length of n numbers: the next multiple of four that leaves room for at least one zero.
// Kernels need multiples of four.
func PaddedLen(n int) int { return n/4*4 + 4 }

// Padded is a matrix with columns and rows of zeros after its own. It lies in a [Stack], which has readable numbers
// before its first and after its last row. So rows can be read shifted to the right by up to [MaxShift] places.
type Padded struct {
	Matrix  // padding included
	storage []float64
	at      int
}

// Stack is storage for several padded matrices, one after the other.
type Stack struct {
	storage Matrix
	used    int
}

// PaddedSize returns the number of entries of a stack that a padded matrix takes.
func PaddedSize(rows, cols int) int { return PaddedLen(rows) * PaddedLen(cols) }

// NewStack returns storage for padded matrices whose sizes sum to size. widest is the largest number of columns of any
// result of combining their rows.
func NewStack(widest, size int) *Stack {
	margin := PaddedLen(widest) + MaxShift
	size += 2 * margin
	s := &Stack{storage: NewRaw(1, size), used: margin}
	clear(s.storage.Data[:margin])
	clear(s.storage.Data[size-margin:])
	return s
}

// Next returns the next matrix of a stack. The rows of its padding are zero; the other rows are undefined.
func (s *Stack) Next(rows, cols int) Padded {
	n, width := PaddedLen(rows), PaddedLen(cols)
	p := Padded{Matrix{n, width, s.storage.Data[s.used : s.used+n*width]}, s.storage.Data, s.used}
	clear(p.Data[rows*width:])
	s.used += n * width
	return p
}

// Release returns the storage. The matrices of the stack must not be used any more.
func (s *Stack) Release() { s.storage.Release() }

// Combine sets dst, of the length of a row of v, to Σ_e weights[e]·(row from+rows[e] of v).
func (v Padded) Combine(dst, weights []float64, from int, rows []int32) {
	combination(dst, weights, rows, v.Data[from*v.Cols:], v.Cols)
}

// CombineShifted sets row i of dst to
//
//	scale ∘ (w_0·S_0·x_i + w_1·S_1·x_i + w_2·S_0·x_{i−1} + w_3·S_1·x_{i−1}),
//
// where x_i is row from+i of v, S_k shifts to the right by shifts[k] places, and w_e is weights[4i+e]. scale is ones if
// it is nil. The weights of the row before the first must be zero.
func (v Padded) CombineShifted(dst Matrix, scale, weights []float64, from int, shifts [2]int) {
	at := v.at + from*v.Cols
	starts := [4]int{at - shifts[0], at - shifts[1], at - v.Cols - shifts[0], at - v.Cols - shifts[1]}
	combinations(dst.general(), scale, weights, v.storage, starts, v.Cols)
}
