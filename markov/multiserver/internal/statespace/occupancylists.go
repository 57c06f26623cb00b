package statespace

import (
	"sync"
	"weak"
)

// occupancyLists are the lists of a [StateIndex] that depend on the numbers of phases and of jobs alone: the occupancies,
// and which of them are neighbours. They are made once, and read by all queues of this size: by dynamic and static
// partitioning, and at all points of a curve. They are safe for concurrent use.
type occupancyLists struct {
	Phases int
	// choose[k][s] is the number of ways to put s jobs into k phases.
	choose [][]int
	levels [][]int32      // levels[l] lists the occupancies of l jobs, phases entries each
	up     func() []int32 // returns the successors of the occupancies of the highest level but one
	down   func() []int32 // returns the predecessors of the occupancies of the highest level
}

// knownLists are the lists that some queue uses. The garbage collector frees lists that no queue uses any more.
var knownLists sync.Map // from listsKey to weak.Pointer[occupancyLists]

// listsKey is the number of phases and the largest number of jobs of [occupancyLists].
type listsKey struct{ phases, most int }

// sharedLists returns the lists of all occupancies of 0 to most jobs in so many phases.
func sharedLists(phases, most int) *occupancyLists {
	key := listsKey{phases, most}
	if known, ok := knownLists.Load(key); ok {
		if t := known.(weak.Pointer[occupancyLists]).Value(); t != nil {
			return t
		}
	}
	t := newOccupancyLists(phases, most)
	knownLists.Store(key, weak.Make(t))
	return t
}

// newOccupancyLists lists all occupancies of 0 to most jobs in so many phases. Neighbours are listed when they are
// needed first.
func newOccupancyLists(phases, most int) *occupancyLists {
	t := &occupancyLists{Phases: phases, choose: make([][]int, phases+1), levels: make([][]int32, most+1)}
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
	t.up, t.down = sync.OnceValue(t.listSuccessors), sync.OnceValue(t.listPredecessors)
	return t
}

// Size returns the number of occupancies of so many jobs, C(jobs+m−1, m−1): ways to divide the jobs among the m phases.
// jobs must be from 0 to the highest level of the index; [Occupancies] computes the same number without an index.
func (t *occupancyLists) Size(jobs int) int { return t.choose[t.Phases][jobs] }

// list sets rows to the occupancies of so many jobs, in the order of [StateIndex]. Each occupancy takes t.Phases
// consecutive numbers of rows, the jobs in each phase. rows has Size(jobs)·t.Phases entries and must be zero. The first
// occupancy is (jobs, 0, …, 0).
func (t *occupancyLists) list(rows []int32, jobs int) {
	if len(rows) > 0 {
		rows[0] = int32(jobs)
	}
	for i := t.Phases; i < len(rows); i += t.Phases {
		next(rows[i:i+t.Phases], rows[i-t.Phases:i])
	}
}

// next sets n to the occupancy that follows the occupancy before in the order of [StateIndex]. Both hold the jobs in
// each phase. Among the phases before the final phase, the last phase that has a job loses one job. This job and all
// jobs of the final phase move to the next phase. The caller makes sure that before is not the last occupancy, and that
// n does not share its storage.
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

// At returns occupancy i, counted from 0, of so many jobs: the number of jobs in each of the m phases. The slice
// belongs to the index and must not be changed.
func (t *occupancyLists) At(jobs, i int) []int32 { return t.levels[jobs][i*t.Phases : (i+1)*t.Phases] }

// listSuccessors returns the index of the occupancy with one more job in a phase, for all occupancies of one job less than
// the largest number and all m phases. Entry i·m + j belongs to occupancy i and phase j.
//
// The index of an occupancy n counts, for each phase j, occupancies that agree with n before j and have more jobs
// there; see [StateIndex.place]. One job more in a phase after j increases this count, which gives the shift.
func (t *occupancyLists) listSuccessors() []int32 {
	m, most := t.Phases, len(t.levels)-2
	up := make([]int32, t.Size(most)*m)
	for i := range t.Size(most) {
		place, shift := i, 0
		left := most
		for j, k := range t.At(most, i) {
			up[i*m+j] = int32(place + shift)
			left -= int(k)
			if more := m - 1 - j; more > 0 { // the occupancies of left jobs after j with one job more there
				shift += t.choose[more][left]
			}
		}
	}
	return up
}

// listPredecessors returns the index of the occupancy with one job less in a phase, for all occupancies of the largest
// number of jobs and all m phases. Entry i·m + j belongs to occupancy i and phase j, and has no meaning if the phase has
// no job.
func (t *occupancyLists) listPredecessors() []int32 {
	m, most := t.Phases, len(t.levels)-1
	down := make([]int32, t.Size(most)*m)
	for e, place := range t.successors(most - 1) {
		down[int(place)*m+e%m] = int32(e / m)
	}
	return down
}

// successors returns the index of the occupancy with one more job in a phase, for all occupancies of so many jobs and
// all m phases. An occupancy is the number of jobs in each phase. Entry i·m + j of the result belongs to occupancy i
// and phase j. jobs must be below the highest level. The result must not be changed. The matrices of arrivals and
// departures are built from it.
func (t *occupancyLists) successors(jobs int) []int32 { return t.up()[:t.Size(jobs)*t.Phases] }

// predecessors returns the index of the occupancy with one job less in a phase, for all occupancies of so many jobs and
// all m phases. An occupancy is the number of jobs in each phase. There must be at least 1 job. Entry i·m + j of the
// result belongs to occupancy i and phase j, and has no meaning if the phase has no job. The result must not be changed.
func (t *occupancyLists) predecessors(jobs int) []int32 { return t.down()[:t.Size(jobs)*t.Phases] }
