package replay

import "reflect"

// knownAs returns a run with the results that a run would have, or nil if there is none. It is one of Known, or one of the weeks of the
// sample. The first replications of a study that reports its jobs, or tells results by groups, are always replayed.
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

// serves reports whether the results of a known run are those of a run: the jobs, the policy and the assumptions are the same. The steps of
// a search know response times alone, so that they serve other steps only.
func (s *Study) serves(known, r *Run) bool {
	if known.of != s.Log || !known.isOneReplication() || known.searched && !r.searched {
		return false
	}
	return known.Policy == r.Policy && known.Nodes == r.Nodes && known.Unit == r.Unit && known.Mixed == r.Mixed && known.Share == r.Share &&
		known.Seed == r.Seed && known.Load == r.Load && known.Limits == r.Limits && known.deadline == r.deadline &&
		known.Assumptions.equal(&r.Assumptions)
}

// takeResults sets the results of a run to those of another, which differs in its baseline and in the name of its cost at most.
func (r *Run) takeResults(of *Run) {
	took := *of
	took.Setting, took.Baseline, took.OnFirst, took.control, took.searched = r.Setting, r.Baseline, r.OnFirst, r.control, r.searched
	took.Groups, took.Worth, took.SameP95, took.foretold = nil, Worth{}, SameP95{}, loadEffect{}
	*r = took
}

// equal reports whether two assumptions are the same but for the name of the cost.
func (a *Assumptions) equal(b *Assumptions) bool {
	x, y := *a, *b
	x.Cost.Name, y.Cost.Name = "", ""
	return reflect.DeepEqual(x, y)
}
