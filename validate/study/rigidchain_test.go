package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/replay"
)

// sixty are jobs of 1, 2 and 6 nodes in turn, at uneven times.
func sixty() (all []joblog.Job) {
	at := 0.0
	for i := range 60 {
		at += float64(100 + 37*(i%7))
		nodes := []int{1, 2, 6}[i%3]
		all = append(all, joblog.Job{ID: i + 1, Submit: at, Run: float64(200 + 90*(i%5)), Processors: nodes, RequestedProcessors: nodes})
	}
	return all
}

// TestGroupedJobsKeepTheirNodeTime: sizes change, node-time does not; shuffled jobs are the same jobs, with the same times
// between them.
func TestGroupedJobsKeepTheirNodeTime(t *testing.T) {
	jobs := sixty()
	classes := []jobClass{{Sizes: joblog.Sizes{From: 1, To: 2}, MaxNodes: 2}, {Sizes: joblog.Sizes{From: 3, To: 8}, MaxNodes: 8}}
	list := inSizes(joblog.ListOf(jobs), classes)
	grouped := list.Jobs()
	for i, j := range grouped {
		if want := []int{2, 2, 8}[i%3]; j.Nodes() != want || math.Abs(j.NodeTime()-jobs[i].NodeTime()) > 1e-9 {
			t.Fatalf("job %d: %d nodes, want %d; node-time %v, want %v", i, j.Nodes(), want, j.NodeTime(), jobs[i].NodeTime())
		}
	}
	drawn := func() []joblog.Job {
		order, err := joblog.Keep(shuffled(list, 1), "", 0)
		if err != nil {
			t.Fatal(err)
		}
		return order.Jobs()
	}
	again := drawn()
	ids, gaps, was := []int{}, []float64{}, []float64{}
	for i := range again {
		ids = append(ids, again[i].ID)
		if i > 0 {
			gaps, was = append(gaps, again[i].Submit-again[i-1].Submit), append(was, grouped[i].Submit-grouped[i-1].Submit)
		}
	}
	if slices.IsSorted(ids) || slices.Equal(gaps, was) {
		t.Error("nothing is in random order")
	}
	slices.Sort(ids)
	slices.Sort(gaps)
	slices.Sort(was)
	if len(slices.Compact(ids)) != len(jobs) || !slices.EqualFunc(gaps, was, func(a, b float64) bool { return math.Abs(a-b) < 1e-6 }) {
		t.Error("other jobs, or other times between them")
	}
	if other := drawn(); !slices.EqualFunc(again, other, func(a, b joblog.Job) bool { return a.ID == b.ID && a.Submit == b.Submit }) {
		t.Error("the same draw gives other jobs")
	}
}

// TestRigidChainOfALog: the steps lead from the replays of the log to the chain. Where the sizes of the chain are those of the jobs,
// grouping changes nothing.
func TestRigidChainOfALog(t *testing.T) {
	needs.Concurrency(t)
	a, err := Of(t.Context(), joblog.ListOf(sixty()).All(), policy.Machine{Nodes: 8}, replay.Usual(), Settings{})
	if err != nil {
		t.Fatal(err)
	}
	c := &a.Chain.Rigid
	if c.Missing != nil {
		t.Fatal(c.Missing)
	}
	sizes := map[string]int{}
	for _, class := range c.System.Classes {
		sizes[class.Name] = class.Nodes
	}
	if len(sizes) != 3 || sizes["1 node"] != 1 || sizes["2 nodes"] != 2 || sizes["6 nodes"] != 6 {
		t.Errorf("sizes %v", sizes)
	}
	times := map[RigidAssumption]float64{}
	var order []RigidAssumption
	for _, s := range c.Steps {
		times[s.Assumption], order = s.MeanResponseTime, append(order, s.Assumption)
	}
	if want := []RigidAssumption{AsEASY, InOrder, Grouped, Independent, Fitted}; !slices.Equal(order, want) {
		t.Fatalf("steps %v, want %v", order, want)
	}
	easy, fcfs := a.Rivals.Of("easy").Measures["mean_response_time"], a.Rivals.Of("fcfs").Measures["mean_response_time"]
	if times[AsEASY] != easy || times[InOrder] != fcfs || math.Abs(times[Grouped]/fcfs-1) > 1e-12 || times[Fitted] != c.Measures.MeanResponseTime {
		t.Errorf("steps %v; the replays are %v and %v", times, easy, fcfs)
	}
}

// TestEndedContextIsTheReason: a study that is interrupted ends with the error of its context, whatever a step makes of
// the end. The chains of rigid jobs are not too large then.
func TestEndedContextIsTheReason(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	end()
	w := &work{oneMachine: &replay.Log{Choice: replay.Choice{Nodes: 64}}}
	if _, _, err := w.rigidSizes(ctx, joblog.ListOf(sized(200, 1, 8, 64))); !errors.Is(err, context.Canceled) {
		t.Errorf("sizes of rigid jobs: %v", err)
	}
	if reason, err := reasonOrError(ctx, markov.ErrTooLarge); reason != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a step that fails: reason %v, error %v", reason, err)
	}
	told := fmt.Errorf("a step: %w", context.Canceled)
	if _, err := reasonOrError(ctx, told); err != told {
		t.Errorf("the error of a step becomes %v", err)
	}
}
