package logview

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload/logstats"
)

// WaitsObject returns what JSON has of the waits that the log recorded: a field logged, and a field no_logged_waits where there are none.
func (l *Log) WaitsObject() output.Object {
	w := l.Logged
	if w == nil {
		return output.Object{{Name: "logged", Value: nil}, {Name: "no_logged_waits", Value: noWaits}}
	}
	var pools []output.Object
	for _, p := range w.Pools {
		pools = append(pools, output.Pairs("pool", p.Name, "jobs", p.Waiting.Jobs, "nodes", p.Nodes, "waiting", waitsObject(&p.Waiting)))
	}
	return output.Pairs("logged", output.Pairs("jobs", w.Jobs, "never_started", l.source.NeverStarted, measure.MeanResponseTime, w.MeanResponseTime,
		"waiting", waitsObject(&w.Waiting), "pools", output.When(pools != nil, pools), "starts_by_hour", startsObject(w.Starts)))
}

// noWaits says why a log has no waits.
const noWaits = "all waits of the log are 0 or unknown"

// waitsObject has the waits of jobs and their parts, in seconds for each job.
func waitsObject(w *logstats.Waits) output.Object {
	return output.Pairs("mean", w.Mean, "median", w.Median, "p90", w.P90, "held", w.Held, "no_nodes", w.NoNodes,
		"nearly_full", w.NearlyFull, "nodes_free", w.NodesFree)
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
	all := []string{fmt.Sprintf("Jobs waited %s on average in the log: half of them at most %s, nine of ten at most %s.", output.Seconds(w.Mean),
		output.Seconds(w.Median), output.Seconds(w.P90))}
	if w.Mean == 0 {
		return all
	}
	share := func(part float64) string { return fmt.Sprintf("%.0f %%", 100*part/w.Mean) }
	all = append(all, fmt.Sprintf("Of this waiting %s passed while fewer nodes were free than the job asks for, and %s while enough nodes were free.",
		share(w.NoNodes), share(w.NodesFree)))
	if w.Held >= 0.005*w.Mean {
		all = append(all, share(w.Held)+" passed before the jobs were eligible: dependencies, holds and begin times.")
	}
	within := l.Logged.WithinPools()
	if len(l.Logged.Pools) > 0 && within.NodesFree < w.NodesFree/2 {
		all = append(all, fmt.Sprintf("Within the jobs' own partitions, %s passed while enough nodes were free: partitions make jobs wait.",
			share(within.NodesFree)))
	}
	return append(all, startSentences(l.Logged.Starts)...)
}
