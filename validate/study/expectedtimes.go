package study

import "cmp"

// Pace is what is known of how fast a study goes on, from which the times of its parts are foretold.
type Pace struct {
	Jobs    int                  // of the log; 0: not known yet
	Share   float64              // of the jobs, which the later parts replay: those in the weeks of a sample, or 1
	Replays map[Part]int         // that parts make, as far as the study has told them, see [Observer]
	Took    func(p Part) float64 // the seconds that a part took, 0 for a part that has not begun; nil: no part has begun
}

// logsOfExplanation is how many logs the explanation of the chain replays under each policy.
const logsOfExplanation = 26

// Seconds returns how many seconds each part of the study is expected to take, by part.
//
// The replays of EASY and malleable jobs, and those of other policies, foretell how long others take. The factors are those of five
// logs. The chain took 1 to 32 replays, break-evens 32 to 60. Advice took 121 to 162 replays of static splits, the explanation of the
// chain 30 to 46 for each split. Until the log is replayed, a replay takes more than most logs need, as displays do not go back: five
// logs took 1.3 to 3.2 µs a job.
func (q *Pace) Seconds() []float64 {
	each := func(p Part) float64 {
		if q.Took == nil {
			return 0
		}
		return q.Took(p) / float64(max(1, q.Replays[p]))
	}
	replay := 0.3
	if q.Jobs > 0 {
		replay = cmp.Or(each(ReplayingShares), 5e-6*float64(q.Jobs))
	}
	split := cmp.Or(each(ReplayingRivals), replay/2)
	splits := 1.0 // that the chain is compared with, beside dynamic partitioning
	if n := q.Replays[ExplainingChain]; n > 0 {
		splits = max(1, float64(n)/logsOfExplanation-1)
	}
	replays := func(p Part, usual int) float64 { return float64(cmp.Or(q.Replays[p], usual)) }
	return []float64{
		ReplayingShares:   replays(ReplayingShares, 8) * replay,
		ReplayingRivals:   replays(ReplayingRivals, 7) * split,
		SolvingChain:      0.3 + 6*replay,
		FindingBreakevens: 60 * q.Share * replay,
		FindingWorth:      30 * q.Share * split,
		ReplayingNodes:    replays(ReplayingNodes, 0) * replay,
		ReplayingLoads:    replays(ReplayingLoads, 16) * q.Share * replay,
		Varying:           20 * q.Share * replay,
		Advising:          135 * q.Share * split,
		ExplainingChain:   43 * q.Share * splits * split,
		parts - 1:         0,
	}
}
