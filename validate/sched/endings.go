package sched

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/models/workload"
)

// ending is a running job in the list of running jobs by expected end.
type ending struct {
	at     float64 // expected end
	job    JobID
	fewest int32 // fewest nodes that the job may have while it runs; see [nodeBounds]
}

// ending returns the place in the list of running jobs by expected end of job e, with the given ID. The fewest nodes of a
// moldable job are the nodes that it holds; [State.Assign] sets them when the job gets its nodes.
func (e *Entry) ending(id JobID) ending {
	fewest := e.fewest
	if e.kind == workload.Moldable {
		fewest = e.Held
	}
	return ending{e.Expected, id, int32(fewest)}
}

// sortEndings fills the list s.endings, which must be empty, with the running jobs by expected end. From then on the
// state keeps the list in order. Before a policy asks for the list, the state does without it, to save time.
func (s *State) sortEndings() {
	s.endingsKept = true
	for _, id := range s.running { // in the order of their starts, which a stable sort keeps among equal ends
		s.endings = append(s.endings, s.jobs[id].ending(id))
	}
	slices.SortStableFunc(s.endings, func(a, b ending) int { return cmp.Compare(a.at, b.at) })
}

// moveEnding moves a running job in s.endings, the list of running jobs by expected end, to the place of another
// expected end. The caller then sets Expected of the job. The jobs between the two places move by one: few, unless the
// job has just been started.
func (s *State) moveEnding(id JobID, expected float64) {
	e := &s.jobs[id]
	i := len(s.endings) - 1
	if s.endings[i].job != id { // a job that has just been started is the last
		i = s.endingIndex(id)
	}
	x := s.endings[i]
	x.at = expected
	for ; i > 0 && s.endsBefore(expected, e.rank, &s.endings[i-1]); i-- {
		s.endings[i] = s.endings[i-1]
	}
	for ; i+1 < len(s.endings) && !s.endsBefore(expected, e.rank, &s.endings[i+1]); i++ {
		s.endings[i] = s.endings[i+1]
	}
	s.endings[i] = x
}

// endsBefore reports whether a job comes before x in s.endings, the list of running jobs by expected end. The job is
// expected to end at time at, and rank jobs were started before it. Of jobs with the same end, the job that was started
// first comes first.
func (s *State) endsBefore(at float64, rank int, x *ending) bool {
	return at < x.at || at == x.at && rank < s.jobs[x.job].rank
}

// fewEndings is the number of jobs among which a job is looked for one by one. The processor foresees the steps of such a
// search. It guesses wrong in half of the steps of a bisection, which pays in a longer list.
const fewEndings = 32

// endingIndex returns the index of running job id in s.endings, the list of running jobs by expected end. The expected end
// of the job must be the end with which it stands in the list.
func (s *State) endingIndex(id JobID) int {
	at, from := s.jobs[id].Expected, 0
	for to := len(s.endings); to-from > fewEndings; {
		if middle := (from + to) / 2; s.endings[middle].at < at {
			from = middle + 1
		} else {
			to = middle
		}
	}
	for s.endings[from].job != id {
		from++
	}
	return from
}
