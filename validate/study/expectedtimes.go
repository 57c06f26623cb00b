package study

import "cmp"

// Pace is what a study has measured so far. [Pace.Seconds] predicts the times of its parts from it, for displays of
// progress.
type Pace struct {
	Jobs    int                  // number of jobs of the log; 0 if it is not known yet
	Share   float64              // share of the jobs in which the later parts search: those in the weeks of a sample; 1 without a sample
	Replays map[Part]int         // number of replays of each part, as far as Planned of an [Observer] has reported it
	Took    func(p Part) float64 // seconds that part p took, or has taken so far; 0 before it begins; nil if no part has begun
}

// logsOfExplanation is the number of logs that the explanation of the chain replays under each policy, and
// logsOfLongExplanation that number for a long log.
const logsOfExplanation, logsOfLongExplanation = 26, 8

// Seconds returns the expected time of each part of the study in seconds. The result has an entry for every [Part], at
// the index of its value. It is 0 for [Describing], [ReplayingApart] and [ResamplingChain], whose times are not
// predicted.
//
// The time of a part is a number of replays times the time of one replay. The parts that are done give this time:
// [ReplayingShares] for replays of EASY and malleable jobs, [ReplayingRivals] for replays of other policies. The
// numbers of replays were measured on five logs. The chain took as long as 1 to 32 replays, and break-evens as long as
// 32 to 60. Advice took 121 to 162 replays of static splits, and the explanation of the chain 30 to 46 for each split.
//
// Before the log is replayed, a replay is expected to take 5 µs a job. The five logs took 1.3 to 3.2 µs a job, but a
// progress bar that starts too fast would have to go back.
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
	breakevens, explanation, onWhole := 60.0, float64(logsOfExplanation), 0.0
	if q.Share < 1 { // what is found in weeks is replayed on the whole log, too
		breakevens, explanation, onWhole = 32, logsOfLongExplanation, 1
	}
	splits := 1.0 // number of static splits that the chain is compared with
	if n := q.Replays[ExplainingChain]; n > 0 {
		splits = max(1, float64(n)/explanation-1)
	}
	replays := func(p Part, usual int) float64 { return float64(cmp.Or(q.Replays[p], usual)) }
	return []float64{
		ReplayingShares:   replays(ReplayingShares, 8) * replay,
		ReplayingRivals:   replays(ReplayingRivals, 7) * split,
		SolvingChain:      0.3 + 6*replay,
		FindingBreakevens: breakevens * replay,
		FindingWorth:      (30*q.Share + 10*onWhole) * split,
		ReplayingNodes:    replays(ReplayingNodes, 0) * replay,
		ReplayingLoads:    replays(ReplayingLoads, 16) * q.Share * replay,
		Varying:           20 * replay,
		Advising:          (135*q.Share + 20*onWhole) * split,
		ExplainingChain:   43 * explanation / logsOfExplanation * splits * split,
		parts - 1:         0, // so that every part has an entry
	}
}
