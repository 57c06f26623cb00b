package block

// MaxShift is the largest number of places by which rows can be read shifted.
const MaxShift = 4

// PaddedLen is the number of columns, or rows, in which n numbers and at least one zero are kept: a multiple of four,
// which the kernels take best.
func PaddedLen(n int) int { return n/4*4 + 4 }

// Padded is a matrix with columns and rows of zeros after its own. It lies in a [Stack], which has numbers to read
// before its first row and after its last: rows can be read shifted to the right by up to [MaxShift] places.
type Padded struct {
	Matrix  // with its padding
	storage []float64
	at      int
}

// Stack is storage for padded matrices, one after the other.
type Stack struct {
	storage Matrix
	used    int
}

// PaddedSize is how much of a stack a padded matrix of rows by columns takes.
func PaddedSize(rows, cols int) int { return PaddedLen(rows) * PaddedLen(cols) }

// NewStack returns room for padded matrices, whose sizes add up to size; widest is the largest number of columns of
// what their rows are combined to.
func NewStack(widest, size int) *Stack {
	margin := PaddedLen(widest) + MaxShift
	size += 2 * margin
	s := &Stack{storage: NewRaw(1, size), used: margin}
	clear(s.storage.Data[:margin])
	clear(s.storage.Data[size-margin:])
	return s
}

// Next returns the next matrix of a stack, the rows of its padding zero, the others with whatever numbers are there.
func (s *Stack) Next(rows, cols int) Padded {
	n, width := PaddedLen(rows), PaddedLen(cols)
	p := Padded{Matrix{n, width, s.storage.Data[s.used : s.used+n*width]}, s.storage.Data, s.used}
	clear(p.Data[rows*width:])
	s.used += n * width
	return p
}

// Release gives the storage back; its matrices must not be used any more.
func (s *Stack) Release() { s.storage.Release() }

// Combine sets dst, as long as a row of v, to Σ_e weights[e]·v[from+rows[e]].
func (v Padded) Combine(dst, weights []float64, from int, rows []int32) {
	combination(dst, weights, rows, v.Data[from*v.Cols:], v.Cols)
}

// CombineShifted sets row i of dst to
//
//	scale ∘ (w_0·S_0·x_i + w_1·S_1·x_i + w_2·S_0·x_{i−1} + w_3·S_1·x_{i−1}),
//
// x_i being row from+i of v, S_k a shift to the right by shifts[k] places, w the numbers from 4i on of weights, and
// scale ones if it is nil. The weights of the row before the first must be zero.
func (v Padded) CombineShifted(dst Matrix, scale, weights []float64, from int, shifts [2]int) {
	at := v.at + from*v.Cols
	starts := [4]int{at - shifts[0], at - shifts[1], at - v.Cols - shifts[0], at - v.Cols - shifts[1]}
	combinations(dst.general(), scale, weights, v.storage, starts, v.Cols)
}
