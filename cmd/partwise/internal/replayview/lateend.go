package replayview

import (
	"fmt"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/replay"
)

// lateEndSentence says why rigid jobs use much less of the machine than their load: the last jobs end long after the last
// submission, and most nodes are idle then. This happens where a higher load compresses the submissions to less time than a long
// job takes. The sentence is about the first run that uses less than half of its load, or of the machine where the load is above
// 1. Without such a run it is empty.
func lateEndSentence(runs []*replay.Run) string {
	for _, run := range runs {
		load, used := run.Measures[measure.OfferedLoad], run.Measures[measure.Utilization]
		if run.Kind() == workload.Rigid && used > 0 && used < min(load, 1)/2 {
			return fmt.Sprintf("At load %s under %s the jobs end only after %s times the time in which they are submitted, and most "+
				"nodes are idle then. The utilization counts all of this time, the load the time of the submissions alone.",
				words.Load(load), run.Policy, words.Round(load/used, 2))
		}
	}
	return ""
}
