// Package statespace numbers the states of a multiserver queue and holds its transitions: occupancies of the service
// phases, classes of arrivals, and sparse blocks between them.
package statespace

import (
	"context"

	"github.com/partwise/partwise/markov/internal/block"
)

// StateIndex numbers the occupancies of m phases by 0 to most jobs. An occupancy n = (n_1, …, n_m) says how many jobs
// are in each phase. The occupancies of l jobs are listed with n_1 descending, then n_2, and so on, with indices from
// 0. So a job that moves to a later phase moves the occupancy to a later place, and acyclic service has upper
// triangular blocks.
//
// The index of an occupancy depends on n_2, …, n_m only. One job more in phase 1 keeps the index, so the occupancies of
// l jobs are the first K_l of any higher level. Lists of neighbours are made once, for the highest level, and serve for
// all levels.
//
// Symbols of the methods: m is the number of phases, and K_l = Size(l) the number of occupancies of l jobs. A StateIndex
// without a Store is safe for concurrent use.
type StateIndex struct {
	*occupancyLists

	// Store gives room for the numbers of new matrices, and matrices for their headers. If Store is nil, each matrix
	// has storage of its own.
	Store    *block.Arena
	matrices []Sparse
}

// NewStateIndex returns the index of all occupancies of 0 to most jobs in so many phases of service, at least 1, and
// lists them. An occupancy says how many jobs are in each phase. Memory grows with the number of occupancies times
// phases; the caller checks it first.
func NewStateIndex(phases, most int) *StateIndex {
	return &StateIndex{occupancyLists: sharedLists(phases, most)}
}

// SizeBelow returns the number of occupancies of fewer than so many jobs: the sum of Size over 0 to jobs−1. It sizes
// the storage for vectors of all these levels.
func (t *StateIndex) SizeBelow(jobs int) (all int) {
	for l := range jobs {
		all += t.Size(l)
	}
	return all
}

// stored copies the header of m to the list of matrices of the index and returns a pointer to the copy. So one
// allocation serves many matrices. The numbers of m are shared. Without a Store, it allocates each copy by itself, so
// that several goroutines can make matrices of a solution.
func (t *StateIndex) stored(m Sparse) *Sparse {
	if t.Store == nil {
		own := m
		return &own
	}
	if len(t.matrices) == cap(t.matrices) {
		t.matrices = make([]Sparse, 0, 2*len(t.levels)+4)
	}
	t.matrices = append(t.matrices, m)
	return &t.matrices[len(t.matrices)-1]
}

// place returns the index, counted from 0, of occupancy n among all occupancies of the same number of jobs. n holds the
// jobs in each of the m phases. place counts the occupancies before n: for each phase j, the occupancies that agree
// with n before j and have more jobs in j.
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

// SpeedAt returns speeds[i], or 1 if speeds is nil. speeds holds the factors by which service rates of a level are
// multiplied. The speed of a job in phase j and occupancy o has the index o·m + j, m being the number of phases.
func SpeedAt(speeds []float64, i int) float64 {
	if speeds == nil {
		return 1
	}
	return speeds[i]
}

// Local returns the rates at which the occupancy of a level changes because one job moves to another phase. An
// occupancy is the number of jobs in each phase. The result is square, with a row and a column for each occupancy of so
// many jobs, and without a diagonal. rates, m×m for m phases, holds the rates of one job between phases; its diagonal
// is not read. In occupancy n a job moves from phase i to phase j with rate n_i·rates_ij, times the speed of phase i
// there, see [SpeedAt]. The matrix lies in t.Store, if it is set.
func (t *StateIndex) Local(jobs int, rates block.Matrix, speeds []float64) *Sparse {
	k := t.Size(jobs)
	b := NewSparse(t.Store, k, k, k*t.Phases)
	n := make([]int32, t.Phases)
	for i := range k {
		copy(n, t.At(jobs, i))
		for from, here := range t.At(jobs, i) {
			if here == 0 {
				continue // as in most phases if there are more phases than jobs
			}
			for to, r := range rates.Row(from) {
				if to != from && r > 0 {
					b.Add(t.moved(n, from, to), float64(here)*r*SpeedAt(speeds, i*t.Phases+from))
				}
			}
		}
		b.EndRow()
	}
	return t.stored(b.Sparse)
}

// moved returns the index of the occupancy that results when one job of occupancy n moves from one phase to another. It
// changes n for the computation and restores it. Phase from must have a job.
func (t *StateIndex) moved(n []int32, from, to int) int {
	n[from]--
	n[to]++
	i := t.place(n)
	n[from]++
	n[to]--
	return i
}

// Departure returns the rates at which a departure changes the occupancy, the number of jobs in each phase. It has a
// row for each occupancy of so many jobs, at least 1, and a column for each occupancy of one job less. exit[j] is the
// rate at which a job in phase j completes its service. In occupancy n a job leaves phase j with rate n_j·exit[j],
// times the speed of phase j in this occupancy, see [SpeedAt]. The matrix lies in t.Store, if it is set.
func (t *StateIndex) Departure(jobs int, exit, speeds []float64) *Sparse {
	k, m := t.Size(jobs), t.Phases
	if m == 2 && exit[0] > 0 && exit[1] > 0 {
		return t.departureOfTwo(jobs, exit, speeds)
	}
	down := t.predecessors(jobs)
	b := NewSparse(t.Store, k, t.Size(jobs-1), k*positives(exit))
	for i := range k {
		places := down[i*m : (i+1)*m]
		for j, n := range t.At(jobs, i) {
			if n > 0 {
				b.Add(int(places[j]), float64(n)*exit[j]*SpeedAt(speeds, i*m+j))
			}
		}
		b.EndRow()
	}
	return t.stored(b.Sparse)
}

// departureOfTwo is [StateIndex.Departure] for two phases that jobs can leave the system from. Occupancy i has i jobs in
// the second phase. The result has the Shift −1 of [Sparse].
func (t *StateIndex) departureOfTwo(jobs int, exit, speeds []float64) *Sparse {
	b := NewSparse(t.Store, jobs+1, jobs, 2*(jobs+1))
	b.Shift = -1
	for i := range jobs + 1 {
		first, second := exit[0]*SpeedAt(speeds, 2*i), exit[1]*SpeedAt(speeds, 2*i+1)
		b.Col = append(b.Col, int32(min(i, jobs-1)), int32(max(i-1, 0)))
		b.Val = append(b.Val, float64(jobs-i)*first, float64(i)*second)
		b.EndRow()
	}
	return t.stored(b.Sparse)
}

// Arrival returns the probabilities by which one more job changes the occupancy, the number of jobs in each phase. It
// has a row for each occupancy of so many jobs, and a column for each occupancy of one job more. jobs must be below the
// highest level. The new job starts in phase j with probability initial[j]. The matrix for fewer jobs is the
// [StateIndex.Leading] part of the matrix for more jobs. It lies in t.Store, if it is set.
func (t *StateIndex) Arrival(jobs int, initial []float64) *Sparse {
	k, m := t.Size(jobs), t.Phases
	up := t.successors(jobs)
	b := NewSparse(t.Store, k, t.Size(jobs+1), k*positives(initial))
	for i := range k {
		for j, place := range up[i*m : (i+1)*m] {
			b.Add(int(place), initial[j])
		}
		b.EndRow()
	}
	if m == 2 && initial[0] > 0 && initial[1] > 0 {
		b.Shift = 1
	}
	return t.stored(b.Sparse)
}

// positives returns how many entries of x are positive.
func positives(x []float64) (n int) {
	for _, v := range x {
		if v > 0 {
			n++
		}
	}
	return n
}

// Entered returns the indices, in ascending order from 0, of the occupancies of so many jobs that can result from an
// arrival. In them, some job is in a phase in which service begins: its initial probability is positive. Entries of a
// level with another occupancy are zero.
func (t *StateIndex) Entered(jobs int, initial []float64) (all []int) {
	all = make([]int, 0, t.Size(jobs))
	for i := range t.Size(jobs) {
		for j, n := range t.At(jobs, i) {
			if n > 0 && initial[j] > 0 {
				all = append(all, i)
				break
			}
		}
	}
	return all
}

// Leading returns the matrix of [StateIndex.Arrival] for so many jobs, given the matrix u for at least as many jobs
// with the same initial phases: its first rows and columns. jobs must be below the highest level. The result shares the
// storage of u, so levels with the same initial phases need one matrix only, and neither matrix may be changed.
func (t *StateIndex) Leading(u *Sparse, jobs int) *Sparse {
	rows := t.Size(jobs)
	entries := u.Start[rows]
	return t.stored(Sparse{
		Rows: rows, Cols: t.Size(jobs + 1), Start: u.Start[:rows+1], Col: u.Col[:entries], Val: u.Val[:entries], Shift: u.Shift,
	})
}

// PhaseMap returns the probabilities of the new occupancy when every one of so many jobs draws a new phase. An
// occupancy is the number of jobs in each phase. The result has a row and a column for each occupancy. A job in phase j
// moves to phase k with probability phi_jk, m×m, independently of the others. The queue draws new phases at arrivals
// and departures, if it has phase maps. The entries have storage of their own, not in t.Store, because the caller
// multiplies the matrix once and drops it. If ctx ends, the last rows are missing, and the result must not be used.
func (t *StateIndex) PhaseMap(ctx context.Context, jobs int, phi block.Matrix) *Sparse {
	k := t.Size(jobs)
	b := NewSparse(nil, k, k, k*k)
	for i := range k {
		if ctx.Err() != nil {
			break
		}
		dist := []float64{1} // over the occupancies of the jobs drawn so far
		drawn := 0
		for j, count := range t.At(jobs, i) {
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
	return t.stored(b.Sparse)
}

// Product returns the matrix product s·b as a new matrix, in t.Store if it is set. Rows are formed in a dense vector,
// as the matrices are small. Phase maps are multiplied with arrivals and departures.
func (t *StateIndex) Product(s, b *Sparse) *Sparse {
	out := NewSparse(t.Store, s.Rows, b.Cols, len(s.Val))
	sum := t.Store.Vector(b.Cols)
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
	return t.stored(out.Sparse)
}

// TimesLinear overwrites next with the coefficients of the polynomial psi·(Σ_j v_j·x_j), with a variable x_j for each
// phase j. psi is homogeneous of the given degree, with one coefficient for each occupancy of degree jobs. degree must
// be below the highest level. The number of jobs in phase j is the power of x_j. next has one coefficient for each
// occupancy of one job more, and shares no storage with psi. Eigenvectors of c jobs are made in this way, as products
// of c linear factors.
func (t *StateIndex) TimesLinear(next []complex128, degree int, psi, v []complex128) {
	up := t.successors(degree)
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

// SuccessorRuns returns, for each phase j, the map from occupancies of so many jobs to occupancies with one more job in
// phase j. jobs must be below the highest level. The map is a list of runs. Row is the index of the first occupancy of
// a run, Col the index of its successor. Consecutive occupancies with consecutive successors form one run of length N.
// Every Val is 1. Loops over runs are faster than loops over single successors. The lists are new.
func (t *StateIndex) SuccessorRuns(jobs int) [][]Run {
	up := t.successors(jobs)
	all := make([][]Run, t.Phases)
	storage := make([]Run, 2*t.Phases)
	for j := range all {
		all[j] = storage[2*j : 2*j : 2*j+2]
	}
	for i := range t.Size(jobs) {
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
