package studycmd

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// TestOthersOnOneNode: on a machine of one node nothing is said of resizing all jobs, or of splits.
func TestOthersOnOneNode(t *testing.T) {
	run := &replay.Run{Setting: replay.Setting{Nodes: 1, Policy: policy.FCFS{}}}
	v := &view{Answer: &study.Answer{Rivals: study.Rivals{Runs: []*replay.Run{run, run}}},
		gains:  replayview.Gains{Gains: &study.Gains{EASY: run}},
		rivals: &replayview.Replay{Study: &replay.Study{}}}
	if all := v.others(); all != nil {
		t.Errorf("%q", all)
	}
}
