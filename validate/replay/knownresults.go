package replay

import "reflect"

// knownAs returns a run whose results are those that run r would have, or nil if none is known. It is one of s.Known,
// or one of the runs in the weeks of the sample. So replays are not repeated. A study that reports single jobs or
// groups replays every run.
func (s *Study) knownAs(r *Run) *Run {
	if s.Done != nil || len(s.Groupings) > 0 || !r.isOneReplication() {
		return nil
	}
	for _, known := range s.Known {
		if s.serves(known, r) {
			return known
		}
	}
	if s.Sample == nil {
		return nil
	}
	for _, known := range s.Sample.inWeeks {
		if s.serves(known, r) {
			return known
		}
	}
	if s.serves(s.Sample.easy, r) {
		return s.Sample.easy
	}
	return nil
}

// serves reports whether the results of a known run are those of run r: the jobs, the policy and the assumptions are
// the same. The steps of a search know response times alone, so that they serve other steps only.
func (s *Study) serves(known, r *Run) bool {
	if known.of != s.Log || !known.isOneReplication() || known.searched && !r.searched {
		return false
	}
	return known.Policy == r.Policy && known.Nodes == r.Nodes && known.Unit == r.Unit && known.Mixed == r.Mixed && known.Share == r.Share &&
		known.Seed == r.Seed && known.Load == r.Load && known.Limits == r.Limits && known.deadline == r.deadline &&
		known.Assumptions.equal(&r.Assumptions)
}

// takeResults overwrites the results of r by those of another run. The setting, baseline and control of r stay. Results
// that later searches set, such as the worth in nodes, are cleared.
func (r *Run) takeResults(of *Run) {
	took := *of
	took.Setting, took.Baseline, took.OnFirst, took.control, took.searched = r.Setting, r.Baseline, r.OnFirst, r.control, r.searched
	took.Groups, took.Worth, took.SameP95, took.foretold = nil, Worth{}, SameP95{}, loadEffect{}
	*r = took
}

// equal reports whether two assumptions are the same but for the name of the cost, which results show only.
func (a *Assumptions) equal(b *Assumptions) bool {
	x, y := *a, *b
	x.Cost.Name, y.Cost.Name = "", ""
	return reflect.DeepEqual(x, y)
}
