package replay

import "reflect"

// knownAs returns a run with the results that run r would have, so that replays are not repeated. It is one of s.Known.
// The result is nil if no known run has these results, or if r has several replications. It is nil as well if the study
// has Done or groupings: results by job or group need a replay.
func (s *Study) knownAs(r *Run) *Run {
	if s.Done != nil || len(s.Groupings) > 0 || !r.isOneReplication() {
		return nil
	}
	for _, known := range s.Known {
		if s.serves(known, r) {
			return known
		}
	}
	return nil
}

// serves reports whether a known run has the results that run r would have. The log, load, policy, nodes, malleable jobs
// (Mixed, Share, Seed), limits, deadline and assumptions must be the same. The unit must be the same if the policy divides
// the machine; see [Setting.dividesBy]. Several replications never serve, nor does nil. The table of policies and settings
// of the study, such as Estimates and Present, are not compared; see [Study.Known]. A step of a search knows response
// times alone, so it serves other steps only.
func (s *Study) serves(known, r *Run) bool {
	if known == nil || known.of != s.Log || !known.isOneReplication() || known.searched && !r.searched {
		return false
	}
	return known.Policy == r.Policy && known.Nodes == r.Nodes && known.dividesBy() == r.dividesBy() &&
		known.Mixed == r.Mixed && known.Share == r.Share && known.Seed == r.Seed && known.Load == r.Load && known.Limits == r.Limits &&
		known.deadline == r.deadline && known.Assumptions.equal(&r.Assumptions)
}

// takeResults overwrites the results of r by the results of run of. Both runs then share their logs. Setting, Baseline,
// OnFirst and searched of r stay. Groups, and the results of later searches, are cleared: Worth, SameP95 and
// the effect of the load. of is not changed.
func (r *Run) takeResults(of *Run) {
	took := *of
	took.Setting, took.Baseline, took.OnFirst, took.searched = r.Setting, r.Baseline, r.OnFirst, r.searched
	took.Groups, took.Worth, took.SameP95, took.foretold = nil, Worth{}, SameP95{}, loadEffect{}
	*r = took
}

// equal reports whether the assumptions a and b are the same. The name of the cost is not compared, because it does not
// change a replay.
func (a *Assumptions) equal(b *Assumptions) bool {
	x, y := *a, *b
	x.Cost.Name, y.Cost.Name = "", ""
	return reflect.DeepEqual(x, y)
}
