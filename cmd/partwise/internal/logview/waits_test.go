package logview_test

import (
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/replay"
	"github.com/partwise/partwise/validate/study"
)

// TestCauseOfSelectedJobs: of selected jobs nothing is said about the free nodes of the whole machine.
func TestCauseOfSelectedJobs(t *testing.T) {
	for seen, want := range map[study.SeenNodes]string{
		study.SeenAll: "For 75 % of the waiting time fewer nodes were free than the job asks for. For 25 % enough were free: " +
			"limits, priorities, reservations, fragmentation or a rule by the clock held the jobs.",
		study.SeenPartitions: "The job's own partition had too few free nodes for 75 % of the waiting time. Jobs of other partitions are not counted.",
		study.SeenNone:       "Whether nodes were free meanwhile is unknown: jobs that were not selected held nodes, too.",
	} {
		logged := &logstats.Logged{Waiting: logstats.Waits{Mean: 8, NoNodes: 6, NodesFree: 2}}
		l := logview.New(&replay.Log{}, &joblog.Log{}, &study.Log{Seen: seen, Logged: logged})
		if got := l.CauseSentence(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestHardlyUsedBySelectedJobs: a machine seems hardly used where all jobs are counted, not where some are selected.
func TestHardlyUsedBySelectedJobs(t *testing.T) {
	for seen, want := range map[study.SeenNodes]int{study.SeenAll: 1, study.SeenPartitions: 0, study.SeenNone: 0} {
		used := &logstats.Logged{Jobs: 1000, Waiting: logstats.Waits{Mean: 10}, Use: logstats.Use{Peak: 1, Load: 0.01}}
		l := logview.New(&replay.Log{Choice: replay.Choice{Nodes: 46}}, &joblog.Log{}, &study.Log{Seen: seen, Logged: used})
		if got := l.Warnings(false); len(got) != want {
			t.Errorf("nodes seen %d: %q", seen, got)
		}
	}
}
