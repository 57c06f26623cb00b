// Package statespace numbers the states of a multiserver queue and holds its transitions: occupancies of the service
// phases, classes of arrivals, and sparse blocks between them.
package statespace

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
)

// StateIndex numbers the occupancies of m phases by 0 to most jobs. An occupancy n = (n_1, …, n_m) says how many jobs are
// in each phase. The occupancies of l jobs are listed with n_1 descending, then n_2, and so on. So a job that moves to a
// later phase moves the occupancy to a later place, and acyclic service has upper triangular blocks.
type StateIndex struct {
	Phases int
	// choose[k][s] is the number of ways to put s jobs into k phases.
	choose [][]int
	levels [][]int32 // levels[l] lists the occupancies of l jobs, phases entries each
	Next   [][]int32 // Next[l] is the result of successors(l), nil before
	from   []int32   // scratch of Departure
}

// NewStateIndex lists, for 0 to most jobs, all occupancies: the numbers of jobs in each of the phases of service.
func NewStateIndex(phases, most int) *StateIndex {
	t := &StateIndex{Phases: phases, choose: make([][]int, phases+1), levels: make([][]int32, most+1)}
	// choose[k][s] is the number of occupancies of s jobs in k phases, C(s+k−1, s). Either phase k is empty, or it has a
	// job:
	//
	//	choose[k][s] = choose[k−1][s] + choose[k][s−1].
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
	all := 0
	for l := range t.levels {
		all += t.Size(l) * phases
	}
	room := make([]int32, all)
	for l := range t.levels {
		size := t.Size(l) * phases
		t.levels[l], room = room[:size:size], room[size:]
		t.list(t.levels[l], l)
	}
	return t
}

// Size returns the number of occupancies of l jobs, C(l+m−1, m−1).
func (t *StateIndex) Size(l int) int { return t.choose[t.Phases][l] }

// list overwrites all with the occupancies of l jobs, one row of t.Phases numbers each, in the order of [StateIndex]. all
// has Size(l)·t.Phases entries. The first row is (l, 0, …, 0).
func (t *StateIndex) list(all []int32, l int) {
	if len(all) > 0 {
		all[0] = int32(l)
	}
	for i := t.Phases; i < len(all); i += t.Phases {
		next(all[i:i+t.Phases], all[i-t.Phases:i])
	}
}

// next sets n to the occupancy that follows before. It takes one job from the last phase that has a job, the final phase
// excepted. This job and all jobs of the final phase move to the phase after it.
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

// At returns the i-th occupancy of l jobs: the number of jobs in each phase. The slice belongs to the index.
func (t *StateIndex) At(l, i int) []int32 { return t.levels[l][i*t.Phases : (i+1)*t.Phases] }

// place returns the index of occupancy n among the occupancies of as many jobs. It counts the occupancies before n: for
// each phase j, those that agree before j and have more jobs in j.
func (t *StateIndex) place(n []int32) int {
	left := 0
	for _, k := range n {
		left += int(k)
	}
	before := 0
	for j, k := range n[:t.Phases-1] {
		// In occupancies with a larger n_j, k+1 jobs are in j, and the other more−1 are in j or in later phases.
		if more := left - int(k); more > 0 {
			before += t.choose[t.Phases-j][more-1]
		}
		left -= int(k)
	}
	return before
}

// SpeedAt returns entry i of the speeds of jobs in service, which has m entries for each occupancy of a level. It is 1 if
// speeds is nil.
func SpeedAt(speeds []float64, i int) float64 {
	if speeds == nil {
		return 1
	}
	return speeds[i]
}

// Local returns L without its diagonal, K_l × K_l: the rates at which jobs change phase. s holds the rates between phases
// of one job, which speeds multiply; see [SpeedAt].
func (t *StateIndex) Local(l int, s block.Matrix, speeds []float64) *Sparse {
	k := t.Size(l)
	b := NewSparse(k, k, k*t.Phases)
	n := make([]int32, t.Phases)
	for i := range k {
		copy(n, t.At(l, i))
		for from := range t.Phases {
			for to := range t.Phases {
				if r := s.At(from, to); to != from && n[from] > 0 && r > 0 {
					b.Add(t.moved(n, from, to), float64(n[from])*r*SpeedAt(speeds, i*t.Phases+from))
				}
			}
		}
		b.EndRow()
	}
	return &b.Sparse
}

// moved returns the index of occupancy n after one job has moved between two phases. n is as before afterwards.
func (t *StateIndex) moved(n []int32, from, to int) int {
	n[from]--
	n[to]++
	i := t.place(n)
	n[from]++
	n[to]--
	return i
}

// successors returns, for each occupancy of l jobs and each phase, the index of the occupancy with one more job in that
// phase. The index of n counts, for each phase i, the occupancies that agree before i and have more jobs in i; see place.
// One job more in a phase after i increases that count, which gives the shift.
func (t *StateIndex) successors(l int) []int32 {
	if t.Next == nil {
		t.Next = make([][]int32, len(t.levels))
	}
	if t.Next[l] != nil {
		return t.Next[l]
	}
	m := t.Phases
	up := make([]int32, t.Size(l)*m)
	for i := range t.Size(l) {
		place, shift := i, 0
		left := l
		for j, k := range t.At(l, i) {
			up[i*m+j] = int32(place + shift)
			left -= int(k)
			if more := m - 1 - j; more > 0 { // the occupancies of left jobs after j with one job more there
				shift += t.choose[more][left]
			}
		}
	}
	t.Next[l] = up
	return up
}

// Departure returns the rates of departures, K_l × K_{l−1}. speeds multiply the exit rates; see [SpeedAt].
func (t *StateIndex) Departure(l int, exit, speeds []float64) *Sparse {
	k, m := t.Size(l), t.Phases
	up := t.successors(l - 1)
	if cap(t.from) < k*m {
		t.from = make([]int32, t.Size(len(t.levels)-1)*m)
	}
	from := t.from[:k*m] // the place with one job less in a phase
	for i := range t.Size(l - 1) {
		for j, place := range up[i*m : (i+1)*m] {
			from[int(place)*m+j] = int32(i)
		}
	}
	b := NewSparse(k, t.Size(l-1), k*m)
	for i := range k {
		places := from[i*m : (i+1)*m]
		for j, n := range t.At(l, i) {
			if n > 0 {
				b.Add(int(places[j]), float64(n)*exit[j]*SpeedAt(speeds, i*m+j))
			}
		}
		b.EndRow()
	}
	return &b.Sparse
}

// Arrival returns the probabilities of an arrival that starts in a phase drawn from beta, K_l × K_{l+1}.
func (t *StateIndex) Arrival(l int, beta []float64) *Sparse {
	k, m := t.Size(l), t.Phases
	up := t.successors(l)
	b := NewSparse(k, t.Size(l+1), k*m)
	for i := range k {
		for j, place := range up[i*m : (i+1)*m] {
			b.Add(int(place), beta[j])
		}
		b.EndRow()
	}
	return &b.Sparse
}

// PhaseMap returns the probabilities of the new occupancy when each of l jobs draws a new phase, from the row of phi of
// its present phase. It is incomplete if ctx ends.
func (t *StateIndex) PhaseMap(ctx context.Context, l int, phi block.Matrix) *Sparse {
	k := t.Size(l)
	b := NewSparse(k, k, k*k)
	for i := range k {
		if ctx.Err() != nil {
			break
		}
		dist := []float64{1} // over the occupancies of the jobs drawn so far
		drawn := 0
		for j, count := range t.At(l, i) {
			for range count {
				next := make([]float64, t.Size(drawn+1))
				one := t.Arrival(drawn, phi.Row(j))
				one.KronLeft(next, dist, 1)
				dist, drawn = next, drawn+1
			}
		}
		for c, p := range dist {
			b.Add(c, p)
		}
		b.EndRow()
	}
	return &b.Sparse
}

// Times returns the matrix product s·b. Rows are formed in a dense vector, as the matrices are small.
func (s *Sparse) Times(b *Sparse) *Sparse {
	out := NewSparse(s.Rows, b.Cols, len(s.Val))
	sum := make([]float64, b.Cols)
	for i := range s.Rows {
		clear(sum)
		cols, vals := s.Row(i)
		for e, j := range cols {
			bc, bv := b.Row(int(j))
			for f, c := range bc {
				sum[c] += vals[e] * bv[f]
			}
		}
		for c, v := range sum {
			out.Add(c, v)
		}
		out.EndRow()
	}
	kept := out.Sparse
	return &kept
}

// TimesLinear sets next to the coefficients of psi·(Σ_j v_j·x_j). psi is a form of degree l, with one coefficient for
// each occupancy of l jobs.
func (t *StateIndex) TimesLinear(next []complex128, l int, psi, v []complex128) {
	up := t.successors(l)
	clear(next)
	for i, p := range psi {
		if p == 0 {
			continue
		}
		places := up[i*t.Phases : (i+1)*t.Phases]
		for j, vj := range v {
			next[places[j]] += p * vj
		}
	}
}

// SuccessorRuns returns, for each phase j, the successors of the occupancies of l jobs with one more job in phase j.
// Consecutive occupancies with consecutive successors form one run.
func (t *StateIndex) SuccessorRuns(l int) [][]Run {
	up := t.successors(l)
	all := make([][]Run, t.Phases)
	storage := make([]Run, 2*t.Phases)
	for j := range all {
		all[j] = storage[2*j : 2*j : 2*j+2]
	}
	for i := range t.Size(l) {
		for j := range all {
			to := int(up[i*t.Phases+j])
			if last := len(all[j]) - 1; last >= 0 && all[j][last].Col+all[j][last].N == to {
				all[j][last].N++
				continue
			}
			all[j] = append(all[j], Run{i, to, 1, 1})
		}
	}
	return all
}
