package multiserver

import (
	"context"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/markov/internal/block"
)

// stateIndex numbers the occupancies of m phases by up to most jobs: how many jobs are in each phase. The occupancies
// of one number of jobs are listed with n_1 descending, then n_2, and so on, so that a job that moves to a later phase
// moves the occupancy to a later place: acyclic service has triangular blocks.
type stateIndex struct {
	phases int
	// choose[k][s] is the number of ways to put s jobs into k phases.
	choose [][]int
	levels [][]int32 // levels[l] lists the occupancies of l jobs, phases entries each
	next   [][]int32 // of successors
	mem    *arena
}

func newStateIndex(mem *arena, phases, most int) *stateIndex {
	t := &stateIndex{phases: phases, choose: make([][]int, phases+1), levels: make([][]int32, most+1), mem: mem}
	table := make([]int, (phases+1)*(most+1))
	for k := range t.choose {
		t.choose[k] = table[k*(most+1) : (k+1)*(most+1)]
		for s := range t.choose[k] {
			switch {
			case s == 0:
				t.choose[k][s] = 1
			case k > 0:
				t.choose[k][s] = t.choose[k][s-1] + t.choose[k-1][s]
			}
		}
	}
	for l := range t.levels {
		t.levels[l] = t.list(l)
	}
	return t
}

// size returns the number of occupancies of l jobs, C(l+m−1, m−1).
func (t *stateIndex) size(l int) int { return t.choose[t.phases][l] }

func (t *stateIndex) list(l int) []int32 {
	all := t.mem.ints(t.size(l) * t.phases)
	if len(all) > 0 {
		all[0] = int32(l)
	}
	for i := t.phases; i < len(all); i += t.phases {
		next(all[i:i+t.phases], all[i-t.phases:i])
	}
	return all
}

// next sets n to the occupancy after before: of the last phase but one that has a job, one moves on to the next phase,
// and those of the last phase with it.
func next(n, before []int32) {
	copy(n, before)
	last := len(n) - 1
	j := last - 1
	for n[j] == 0 {
		j--
	}
	rest := n[last]
	n[last] = 0
	n[j]--
	n[j+1] = rest + 1
}

// at returns the i-th occupancy of l jobs.
func (t *stateIndex) at(l, i int) []int32 { return t.levels[l][i*t.phases : (i+1)*t.phases] }

// place returns the place of occupancy n among those of its number of jobs.
func (t *stateIndex) place(n []int32) int {
	left := 0
	for _, k := range n {
		left += int(k)
	}
	before := 0
	for j, k := range n[:t.phases-1] {
		// those with a larger n_j come first: what remains goes into the phases after j
		if more := left - int(k); more > 0 {
			before += t.choose[t.phases-j][more-1]
		}
		left -= int(k)
	}
	return before
}

// local returns the rates at which the occupancies of l jobs change while none departs; s is the subgenerator of the
// service.
func (t *stateIndex) local(l int, s block.Matrix) *sparse {
	k := t.size(l)
	b := newSparse(t.mem, k, k, k*t.phases)
	n := make([]int32, t.phases)
	for i := range k {
		copy(n, t.at(l, i))
		for from := range t.phases {
			for to := range t.phases {
				if r := s.At(from, to); to != from && n[from] > 0 && r > 0 {
					b.add(t.moved(n, from, to), float64(n[from])*r)
				}
			}
		}
		b.endRow()
	}
	return t.mem.sparse(b.sparse)
}

// moved returns the place of n with one job moved.
func (t *stateIndex) moved(n []int32, from, to int) int {
	n[from]--
	n[to]++
	i := t.place(n)
	n[from]++
	n[to]--
	return i
}

// successors returns for each occupancy of l jobs and each phase the place of the occupancy with one more job there.
// The place of n counts, for each phase i, the occupancies with more jobs in i and the same before it; one job more in
// a phase after i makes these more.
func (t *stateIndex) successors(l int) []int32 {
	if t.next == nil {
		t.next = make([][]int32, len(t.levels))
	}
	if t.next[l] != nil {
		return t.next[l]
	}
	m := t.phases
	up := t.mem.ints(t.size(l) * m)
	for i := range t.size(l) {
		place, shift := i, 0
		left := l
		for j, k := range t.at(l, i) {
			up[i*m+j] = int32(place + shift)
			left -= int(k)
			if more := m - 1 - j; more > 0 { // the occupancies of left jobs after j with one job more there
				shift += t.choose[more][left]
			}
		}
	}
	t.next[l] = up
	return up
}

// departure returns the rates from l jobs to l−1.
func (t *stateIndex) departure(l int, exit []float64) *sparse {
	k, m := t.size(l), t.phases
	up := t.successors(l - 1)
	from := t.mem.ints(k * m) // the place with one job less in a phase
	for i := range t.size(l - 1) {
		for j, place := range up[i*m : (i+1)*m] {
			from[int(place)*m+j] = int32(i)
		}
	}
	s := sparse{rows: k, cols: t.size(l - 1), start: t.mem.ints(k + 1)}
	s.col, s.val = t.mem.ints(k*m), t.mem.floats(k*m)
	entries := 0
	for i := range k {
		places := from[i*m : (i+1)*m]
		for j, n := range t.at(l, i) {
			if n > 0 && exit[j] > 0 {
				s.col[entries], s.val[entries] = places[j], float64(n)*exit[j]
				entries++
			}
		}
		s.start[i+1] = int32(entries)
	}
	s.col, s.val = s.col[:entries], s.val[:entries]
	return t.mem.sparse(s)
}

// arrival returns the probabilities from l jobs to l+1 when one arrives in a phase drawn from beta.
func (t *stateIndex) arrival(l int, beta []float64) *sparse {
	k, m := t.size(l), t.phases
	up := t.successors(l)
	if floats.Min(beta) > 0 {
		return t.arrivalInAnyPhase(k, t.size(l+1), up, beta)
	}
	b := newSparse(t.mem, k, t.size(l+1), k*m)
	for i := range k {
		for j, place := range up[i*m : (i+1)*m] {
			b.add(int(place), beta[j])
		}
		b.endRow()
	}
	return t.mem.sparse(b.sparse)
}

// arrivalInAnyPhase is arrival where every phase can be drawn: the places are those of successors.
func (t *stateIndex) arrivalInAnyPhase(k, next int, up []int32, beta []float64) *sparse {
	m := t.phases
	s := sparse{rows: k, cols: next, start: t.mem.ints(k + 1), col: up, val: t.mem.floats(k * m)}
	for i := range k {
		s.start[i+1] = int32((i + 1) * m)
		for j, p := range beta {
			s.val[i*m+j] = p
		}
	}
	return t.mem.sparse(s)
}

// phaseMap returns the probabilities from one occupancy of l jobs to another when each job draws its phase anew, from
// the row of phi that belongs to its present one, unless ctx ends.
func (t *stateIndex) phaseMap(ctx context.Context, l int, phi block.Matrix) *sparse {
	k := t.size(l)
	b := newSparse(t.mem, k, k, k*k)
	for i := range k {
		if ctx.Err() != nil {
			break
		}
		dist := []float64{1} // over the occupancies of the jobs drawn so far
		drawn := 0
		for j, count := range t.at(l, i) {
			for range count {
				next := make([]float64, t.size(drawn+1))
				one := t.arrival(drawn, phi.Row(j))
				one.kronLeft(next, dist, 1)
				dist, drawn = next, drawn+1
			}
		}
		for c, p := range dist {
			b.add(c, p)
		}
		b.endRow()
	}
	return t.mem.sparse(b.sparse)
}

// times returns s·b.
func (s *sparse) times(b *sparse) *sparse {
	out := newSparse(nil, s.rows, b.cols, len(s.val))
	sum := make([]float64, b.cols)
	for i := range s.rows {
		clear(sum)
		cols, vals := s.row(i)
		for e, j := range cols {
			bc, bv := b.row(int(j))
			for f, c := range bc {
				sum[c] += vals[e] * bv[f]
			}
		}
		for c, v := range sum {
			out.add(c, v)
		}
		out.endRow()
	}
	kept := out.sparse
	return &kept
}
