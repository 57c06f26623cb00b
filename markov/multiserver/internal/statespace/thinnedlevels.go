package statespace

// Back substitution needs Y = X·(I−D)⁻¹ of every level, n·K_l × r·K_{l−1} each. Together these are most of the memory
// of a queue: 2.9 GB for 1,024 servers, two phases of service and two of arrivals take 5.7 GB in Y. Where they would be
// more than wholeUpTo numbers, levels are thinned. Y is then kept at every thinnedBy-th level. The other levels keep
//
//	B = C·Y = (I−D)⁻¹ − I,   C: combinations of rows by which arrivals enter the level, D = C·X,
//
// r·K_{l−1} × r·K_{l−1}, a share r/n of the size. x·Y follows from Y of the levels below, for a vector x of a flow:
//
//	x·Y = w + w·B,   w = x·X = x·T⁻¹·(I⊗W)·H of level l−1.
//
// w is what the next arrival to level l finds after departures x·T⁻¹·(I⊗W) to level l−1. It is a flow through lower
// levels down to the next one with Y. Nothing is subtracted. A vector takes (thinnedBy+1)/2 times as many products as
// with all Y, some per cent of the time of an elimination. Memory falls to 9/16 for renewal arrivals of two phases.
// Queues whose Y fit are solved as fast as before.
const (
	wholeUpTo = 1 << 27
	thinnedBy = 8
)

// Thinning tells whether levels are thinned.
type Thinning bool

// NewThinning tells whether levels 1 to top are thinned: whether the matrix of visits that back substitution needs is
// stored for only some of them, to save memory. Levels are thinned if all these matrices would hold more than wholeUpTo
// numbers, and there are more arrival phases n than classes of arrivals r. Otherwise thinning saves nothing. size(l) is
// the number of occupancies of level l.
func NewThinning(size func(l int) float64, n, r float64, top int) Thinning {
	return Thinning(n > r && visitNumbers(size, n, r, top) > wholeUpTo)
}

// visitNumbers returns how many floating-point numbers the matrices of visits of levels 1 to top hold together:
// Σ n·size(l)·r·size(l−1) over the levels l. It is 0 for top = 0.
func visitNumbers(size func(l int) float64, n, r float64, top int) (numbers float64) {
	for l := 1; l <= top; l++ {
		numbers += n * size(l) * r * size(l-1)
	}
	return numbers
}

// Keeps reports whether a level from 1 to top keeps its matrix of visits for back substitution: mean numbers of visits
// to what arrivals find. If levels are thinned, level top and every thinnedBy-th level, 8, keep it.
func (t Thinning) Keeps(level, top int) bool {
	return !bool(t) || level%thinnedBy == 0 || level == top
}
