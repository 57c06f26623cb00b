package markov

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
)

// busy is the chain with all c servers busy, the repeating part, whatever the switch-overs: what dynamic partitioning
// above N jobs and static partitioning into N have in common. With U the generator of the busy states censored on not
// going below their level and N = (−U)⁻¹, all that is needed of it is where the time goes between an arrival and the
// first passage below its level,
//
//	X = (A⊗I)·N,   R^k = (F⊗I)·T^{k−1}·X,   T = X·(F⊗I):
//
// arrivals are followed by class, and what recurs from level to level is r·K wide.
type busy struct {
	method     string
	iterations int

	k          int // K, occupancies of c jobs
	moves      moves
	refill     *sparse   // V: a departure with the head of the queue let in, K×K
	departures []float64 // by occupancy
	// Spectral expansion without a switch-over at level c knows the levels by their modes, everything else by
	x    matrix // X, r·K × n·K
	t    matrix // T, r·K square
	sumT geometric
	*modes
}

// newBusy solves the repeating part.
func (s *system) newBusy(try attempt, maxIter int) (*busy, error) {
	if try.modes {
		return s.modalBusy()
	}
	return s.denseBusy(try.method, maxIter)
}

func (s *system) emptyBusy(method string) *busy {
	return &busy{
		method: method, k: s.lat.size(s.c), moves: s.moves(s.c), departures: s.departureRates(s.c),
		refill: s.lat.leave(s.c, s.exit[s.c-1]).times(s.lat.join(s.c-1, s.alpha[s.c-1])),
	}
}

// modalBusy finds the modes.
func (s *system) modalBusy() (*busy, error) {
	b := s.emptyBusy(SpectralExpansion)
	sp, err := s.newSpectral(b)
	if err != nil {
		return nil, err
	}
	if b.modes, err = sp.modes(); err != nil {
		return nil, fmt.Errorf("markov: spectral expansion: %v: %w", err, ErrNoConvergence)
	}
	return b, nil
}

// denseBusy finds X and T.
func (s *system) denseBusy(name string, maxIter int) (*busy, error) {
	b := s.emptyBusy(name)
	var err error
	sum := byFactors
	if name == SpectralExpansion {
		b.x, err = s.spectralExpansion(b)
	} else {
		m := methods[name]
		sum = m.sum
		b.x, b.iterations, err = s.reduced(b, m.reduce, maxIter)
	}
	if err != nil {
		return nil, err
	}
	if err := b.checkBalance(s.ar.n); err != nil {
		return nil, err
	}
	b.t = newMatrix(b.x.rows, b.x.rows)
	kronColsAdd(b.t, b.x, s.ar.f, b.k)
	b.sumT = sum(b.t)
	return b, nil
}

// reduced returns X by a reduction.
func (s *system) reduced(b *busy, reduce reduction, maxIter int) (x matrix, iterations int, err error) {
	u, iterations, err := reduce(s.repeatingBlocks(b), maxIter)
	if err != nil {
		return x, iterations, err
	}
	f, err := factorGTH(u, repeat(b.departures, s.ar.n))
	if err != nil {
		return x, iterations, err
	}
	x = kronIdentity(s.ar.a, b.k)
	f.solveLeftRows(x)
	return x, iterations, nil
}

// balanceTol: first passage below is certain, X·departures = 1. A method that misses that by more has failed.
const balanceTol = 1e-7

func (b *busy) checkBalance(n int) error {
	departures := repeat(b.departures, n)
	for i := range b.x.rows {
		if off := floats.Dot(b.x.row(i), departures) - 1; !(math.Abs(off) <= balanceTol) {
			return fmt.Errorf("markov: %s: first passage is certain up to %.1g: %w", b.method, off, ErrInaccurate)
		}
	}
	return nil
}

// censored returns the off-diagonal of U, whose rows sum to −departures, as a scratch block.
func (s *system) censored(b *busy) matrix {
	passage := newScratch(b.x.rows, b.x.cols) // (A⊗I)·G
	defer passage.release()
	for i := range b.x.rows {
		b.refill.kronLeft(passage.row(i), b.x.row(i), s.ar.n)
	}
	u := newScratch(b.x.cols, b.x.cols)
	b.moves.off.addKron(u, 1, 1)
	kronRowsAdd(u, s.ar.f, passage, b.k)
	return u
}

// repeatingBlocks returns the blocks of the MAP/PH/c queue with all servers busy.
func (s *system) repeatingBlocks(b *busy) blocks {
	down := newMatrix(s.ar.n*b.k, s.ar.n*b.k)
	b.refill.addKron(down, 1, s.ar.n)
	return blocks{up: kronIdentity(mul(s.ar.f, s.ar.a), b.k), local: b.moves.off.dense(), down: down}
}

// repeat returns n copies of x, end to end.
func repeat(x []float64, n int) []float64 {
	y := make([]float64, 0, n*len(x))
	for range n {
		y = append(y, x...)
	}
	return y
}

// Shared remembers the repeating parts that were solved, for queues that have the same arrivals, servers and service
// above level c; it is safe for concurrent use, and results do not depend on whether it is given. Its zero value works.
// The seconds of a part that is shared are those of the queue that came first.
type Shared struct {
	mu    sync.Mutex
	parts map[[16]byte]*sharedPart
}

type sharedPart struct {
	once sync.Once
	busy *busy
	err  error
}

// busy returns the repeating part, from the shared ones if it is there.
func (sh *Shared) busy(s *system, try attempt, maxIter int) (*busy, error) {
	if sh == nil {
		return s.newBusy(try, maxIter)
	}
	key := s.busyKey(try, maxIter)
	sh.mu.Lock()
	if sh.parts == nil {
		sh.parts = map[[16]byte]*sharedPart{}
	}
	part, ok := sh.parts[key]
	if !ok {
		part = &sharedPart{}
		sh.parts[key] = part
	}
	sh.mu.Unlock()
	part.once.Do(func() { part.busy, part.err = s.newBusy(try, maxIter) })
	return part.busy, part.err
}

// busyKey identifies all that newBusy depends on, to the bit.
func (s *system) busyKey(try attempt, maxIter int) (key [16]byte) {
	h := fnv.New128a()
	fmt.Fprint(h, try)
	ints := []int{maxIter, s.ar.n, s.ar.classes, s.c, s.m}
	var word [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(word[:], v)
		h.Write(word[:])
	}
	for _, v := range ints {
		put(uint64(v))
	}
	c := s.c - 1
	for _, list := range [][]float64{s.ar.d0.a, s.ar.f.a, s.ar.a.a, s.alpha[c], s.t[c].a, s.exit[c]} {
		for _, v := range list {
			put(math.Float64bits(v))
		}
	}
	h.Sum(key[:0])
	return key
}
