package sched

import (
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
	for _, id := range s.running {
		e := &s.jobs[id]
		s.endings = slices.Insert(s.endings, s.endingIndex(e), e.ending(id))
	}
}

// moveEnding moves a running job in s.endings, the list of running jobs by expected end, to the place of another
// expected end. The caller then sets Expected of the job. The jobs between the two places move by one: few, unless the
// job has just been started.
func (s *State) moveEnding(id JobID, expected float64) {
	e := &s.jobs[id]
	i := len(s.endings) - 1
	if s.endings[i].job != id { // a job that has just been started is the last
		i = s.endingIndex(e)
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

// endingIndex returns the index of e, a running job, in s.endings, the list of running jobs by expected end. e.Expected
// must be the end with which the job stands in the list. Without the job it is the index at which to insert it. Jobs
// with equal ends are in the order of their starts.
func (s *State) endingIndex(e *Entry) int {
	lo, hi := 0, len(s.endings)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		x := &s.endings[mid]
		if x.at < e.Expected || x.at == e.Expected && s.jobs[x.job].rank < e.rank {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
