package logview

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/study"
)

// WaitsObject returns what JSON has of the waits that the log recorded: a field logged, and a field no_logged_waits where there
// are none.
func (l *Log) WaitsObject() output.Object {
	w := l.Logged
	if w == nil {
		return output.Object{{Name: "logged", Value: nil}, {Name: "no_logged_waits", Value: noWaits}}
	}
	var pools []output.Object
	for _, p := range w.Pools {
		pools = append(pools, output.Pairs("pool", p.Name, "jobs", p.Waiting.Jobs, "nodes", p.Nodes,
			"waiting", l.waitsObject(&p.Waiting)))
	}
	return output.Pairs("logged", output.Pairs("jobs", w.Jobs, "never_started", l.neverStarted,
		measure.MeanResponseTime, w.MeanResponseTime,
		"waiting", l.waitsObject(&w.Waiting), "pools", output.When(pools != nil, pools), "starts_by_hour", startsObject(w.Starts)))
}

// noWaits says why a log has no waits.
const noWaits = "all waits of the log are 0 or unknown"

// waitsObject has the waits of jobs and their parts, in seconds for each job. Parts that need the nodes of other jobs are left
// out where these were not chosen.
func (l *Log) waitsObject(w *logstats.Waits) output.Object {
	known := l.Seen != study.SeenNone
	return output.Pairs("mean", w.Mean, "median", w.Median, "p90", w.P90, "held", w.Held, "no_nodes", output.When(known, w.NoNodes),
		"nearly_full", output.When(known, w.NearlyFull), "nodes_free", output.When(known, w.NodesFree))
}

// NoWaitsSentence says that the log has no waits; "" if it has.
func (l *Log) NoWaitsSentence() string {
	if l.Logged != nil {
		return ""
	}
	return "The log does not tell how long its jobs waited: " + noWaits + "."
}

// WaitsSentences say how the jobs of the log waited, and what the machine did meanwhile.
func (l *Log) WaitsSentences() []string {
	if text := l.NoWaitsSentence(); text != "" {
		return []string{text}
	}
	w := &l.Logged.Waiting
	all := []string{fmt.Sprintf("Jobs waited %s on average in the log: half of them at most %s, nine of ten at most %s.",
		words.Seconds(w.Mean), words.Seconds(w.Median), words.Seconds(w.P90))}
	if w.Mean == 0 {
		return all
	}
	all = append(all, words.NonEmpty(l.CauseSentence(), l.BusiestSentence())...)
	if w.Held >= 0.005*w.Mean {
		all = append(all, fmt.Sprintf("For %s of the waiting time jobs were not yet eligible: dependencies, holds and begin times.",
			wholePercent(w.Held/w.Mean)))
	}
	return append(all, startSentences(l.Logged.Starts)...)
}

// wholePercent writes a share in whole per cents.
func wholePercent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// CauseSentence says why the jobs of the log waited: for how much of the time too few nodes were free. It counts the nodes
// of a job's own partition where partitions make jobs wait, otherwise those of the whole machine. If jobs were selected,
// it says nothing about nodes that other jobs may have held.
func (l *Log) CauseSentence() string {
	w, within := &l.Logged.Waiting, l.Logged.WithinPools()
	switch l.Seen {
	case study.SeenNone:
		return fmt.Sprintf("Whether %ss were free meanwhile is unknown: jobs that were not selected held %[1]ss, too.", l.unit)
	case study.SeenPartitions:
		return fmt.Sprintf("The job's own partition had too few free %ss for %s of the waiting time. "+
			"Jobs of other partitions are not counted.", l.unit, wholePercent(within.NoNodes/w.Mean))
	}
	if l.Logged.PoolsMakeWait() {
		return fmt.Sprintf("Partitions make jobs wait: the job's own partition had too few free %ss for %s of the waiting time, "+
			"the whole machine for %s.", l.unit, wholePercent(within.NoNodes/w.Mean), wholePercent(w.NoNodes/w.Mean))
	}
	const others = "limits, priorities, reservations, fragmentation or a rule by the clock held the jobs"
	switch free := w.NodesFree / w.Mean; {
	case free >= 0.995:
		return fmt.Sprintf("While jobs waited, enough %ss were free for them: %s.", l.unit, others)
	case free <= 0.005:
		return fmt.Sprintf("While jobs waited, fewer %ss were free than they ask for.", l.unit)
	default:
		return fmt.Sprintf("For %s of the waiting time fewer %ss were free than the job asks for. For %s enough were free: %s.",
			wholePercent(w.NoNodes/w.Mean), l.unit, wholePercent(free), others)
	}
}

// BusiestSentence says which partition has most of the waiting; "" if no partition has.
func (l *Log) BusiestSentence() string {
	pool, share := l.Logged.Busiest()
	if pool == nil {
		return ""
	}
	return fmt.Sprintf("The partition %s, of %s, has %s of the waiting and %s of the %s.", pool.Name,
		words.Count(pool.Nodes, l.unit), wholePercent(share),
		words.Fixed(float64(pool.Waiting.Jobs), 0), words.Count(l.Logged.Jobs, "job"))
}
