package study_test

import (
	"testing"

	"github.com/partwise/partwise/validate/study"
)

// Before the log is read every part is foretold. Once the log is replayed, later parts take as long as its replays. The searches
// of a long log replay the whole log 32 times, however many weeks its sample has.
func TestPace(t *testing.T) {
	if all := new(study.Pace).Seconds(); len(all) != study.Parts() || !(all[study.ReplayingShares] > 0) {
		t.Errorf("before the log is read: %v", all)
	}
	p := study.Pace{Jobs: 1000, Share: 1, Replays: map[study.Part]int{study.ReplayingShares: 4}, Took: func(p study.Part) float64 {
		if p == study.ReplayingShares {
			return 8
		}
		return 0
	}}
	whole := p.Seconds()
	if whole[study.ReplayingShares] != 8 || whole[study.FindingBreakevens] != 120 || whole[study.ReplayingNodes] != 0 {
		t.Errorf("after four replays of 2 s: %v", whole)
	}
	p.Share = 0.5
	if half := p.Seconds(); half[study.FindingBreakevens] != 64 || half[study.ReplayingRivals] != whole[study.ReplayingRivals] {
		t.Errorf("in half of the jobs: %v", half)
	}
}
