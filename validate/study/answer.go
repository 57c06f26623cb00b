package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// Settings say which jobs are studied and how. The zero value studies all jobs as logged.
type Settings struct {
	Choice replay.Choice // which jobs of the log are studied; its Nodes are the nodes of the machine
	Load   float64       // the times between submissions are stretched to this load; 0: as logged
	// Pooling and Unit fix how the nodes are divided among the jobs, and what sizes of jobs count. Where one of them is
	// "", the candidate is chosen that gives the waits of the log, or comes closest: see [Answer.Machines]. CPUs are
	// among the candidates where the log was read with [joblog.Options.CPUs] and most jobs of one node use part of a
	// node.
	Pooling Pooling
	Unit    joblog.Unit
	// NodesStated says that the number of nodes of the log is stated by somebody who knows the machine. Only a
	// candidate whose sizes count what this number counts is then chosen.
	NodesStated bool
	// ascending numbers of nodes, from the machine's own on, on which the log is replayed, too; fewer than two: no such replays
	MoreNodes []int
	// number of bootstrap samples of the weeks of the log, for intervals of the chain; 0: no intervals, otherwise at least 2
	Samples int
	Table   policy.Table // of all policies that run; nil: [policy.Standard]
	// Carried, if not nil, returns the ways in which systems apply the rule of the advice: see [advise.Options].
	Carried  func(*advise.Advice) []advise.Carried
	Memory   *markov.Memory // of chains and of simulated jobs; nil: the default of [markov.NewMemory]
	Workers  int            // goroutines of each step; 0: one for each processor. The answer does not depend on it.
	Observer Observer
}

// Answer is what a study found. A part that could not be had holds the error that says why; the log decides without it.
type Answer struct {
	Nodes int // of the machine; CPUs where the machine that was chosen counts CPUs
	// Unit is the number of nodes of which jobs get multiples where policies divide the machine among all jobs. It is 1
	// unless the study was given a unit.
	Unit        int
	Machines    Machines // the candidates for the machine of the log; one is chosen
	Assumptions replay.Assumptions
	Log         Log
	// Pool is the partition that Rivals.InPool, Advice and Chain are about, and to which nodes are added for the worth
	// of malleable jobs: that whose jobs wait longest under EASY, see [replay.Run.WaitingPool]. It is nil if all jobs
	// share one machine.
	Pool *replay.Pool
	// Sample is some weeks of a long log, in which the Worth of Gains and the rule of Advice are searched. Their values and
	// intervals come from the whole log, as do those of the other parts. Only these are from the weeks alone: the effect of
	// the load on the forecasts of Gains, the Flat of Advice and, if [Answer.ChainInWeeks], what explains the chain. Breakevens need
	// few replays of a long log, all of them of the whole log. Sample is nil if the log is not long.
	Sample     *replay.Sample
	Gains      Gains
	Apart      Apart
	OnNodes    OnNodes
	Breakevens []replay.Breakeven // by share of malleable jobs, as in Gains.Runs; empty without runs
	Variations []replay.Variation // the first is the study as it is; empty without runs
	Rivals     Rivals
	Advice     Advice
	Chain      Chain
}

// Of studies whether resizing running jobs would pay on the machine of a log, and returns the answer. m has the nodes
// of the machine, and the unit: jobs get multiples of m.Unit nodes. If m.Unit is 0, they get any number of nodes, and
// the chain has the unit of [DivisionOf]. a are the assumptions about what no log records. s.Choice says which jobs
// are studied; its Nodes are overwritten by m.Nodes.
//
// First Of finds out whether all jobs share the nodes, or each partition has nodes of its own, and whether sizes count
// nodes or CPUs. The candidate counts under which EASY backfilling gives the logged waits, or comes closest. On this
// machine Of makes the steps of [Part]. Times are in seconds.
//
// The error comes from [replay.Choose], from [OfLog], or from ctx; the answer is then nil. Some failures leave only a
// part of the answer out, whose field Missing or Impossible says why. Examples are a policy that cannot run the jobs,
// and a chain that cannot be solved.
func Of(ctx context.Context, jobs joblog.Jobs, m policy.Machine, a replay.Assumptions, s Settings) (*Answer, error) {
	s.Choice.Nodes = m.Nodes
	log, err := replay.Choose(jobs, s.Choice)
	if err != nil {
		return nil, err
	}
	return OfLog(ctx, log, m.Unit, a, s)
}

// OfLog returns the answer for the jobs of a log that are chosen already, as [Of] does. Jobs get multiples of unit
// nodes; 0: any number. s.Choice is not used. The observer is told when each step of [Part] begins. The log is not
// changed.
//
// The error is a *[replay.SettingError] if settings do not fit each other or the log, such as too few nodes for the
// jobs. It may also be a *[workload.DataError] for a load that the log cannot have, an error of reading the log, or the
// error of ctx. A *[replay.RunError] is returned if a policy cannot run the jobs in a step that has no field for the
// reason.
func OfLog(ctx context.Context, log *replay.Log, unit int, a replay.Assumptions, s Settings) (*Answer, error) {
	if log == nil {
		return nil, errors.New("study: there is no log")
	}
	if err := log.CheckLoad(); err != nil {
		return nil, err
	}
	machines, err := machinesOf(ctx, log, unit, a, &s)
	if err != nil {
		return nil, err
	}
	w, err := newWork(Machines(machines).Chosen().Log, unit, a, s)
	if err != nil {
		return nil, err
	}
	w.Machines = machines
	for _, together := range w.steps() {
		if err := w.makeSteps(ctx, together); err != nil {
			return nil, err
		}
	}
	return &w.Answer, nil
}

// step is a step of a study: a part, and the method that makes it.
type step struct {
	part Part
	do   func(context.Context) error
}

// steps returns the steps of the study in the order of their parts. Steps in one list do not need each other's results,
// and are made at the same time: the chain is solved on processors that the search for break-evens leaves idle.
func (w *work) steps() [][]step {
	return [][]step{
		{{Describing, w.describe}},
		{{ReplayingShares, w.replayShares}},
		{{ReplayingApart, w.replayApart}},
		{{ReplayingRivals, w.replayRivals}},
		{{Varying, w.vary}},
		{{SolvingChain, w.solveChains}, {FindingBreakevens, w.findBreakevens}},
		{{FindingWorth, w.findWorth}},
		{{ReplayingNodes, w.replayOnNodes}},
		{{ReplayingLoads, w.replayLoads}},
		{{Advising, w.advise}},
		{{ExplainingChain, w.explainChain}},
		{{ResamplingChain, w.resample}},
	}
}

// makeSteps makes the given steps concurrently, or one after the other if the study has one worker. The observer is told
// that each of them begins, in their order. The error comes from the first step in the list that fails, or from ctx.
func (w *work) makeSteps(ctx context.Context, together []step) error {
	if w.Workers == 1 {
		for _, s := range together {
			w.Observer.begun(s.part)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.do(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	for _, s := range together {
		w.Observer.begun(s.part)
	}
	return parallel.Each(ctx, len(together), len(together), func(i int) error { return together[i].do(ctx) })
}

// Machine returns the candidate that is chosen for the machine of the log. It points to an element of a.Machines.
// Answers of [Of] and [OfLog] always have one; Machine panics for an Answer without a chosen candidate.
func (a *Answer) Machine() *Machine { return a.Machines.Chosen() }

// work is a study under way. Its methods set the parts of the answer.
type work struct {
	Settings
	Answer
	log        *replay.Log  // the log at the load of the study
	askedUnit  int          // the unit that the caller asked for; 0: no unit
	oneMachine *replay.Log  // the log of the one machine of rules, splits and chains: log, or the log of its Pool
	weeksOfOne *replay.Log  // the same machine with the jobs in the weeks of the Sample, if there is one
	replays    replay.Study // EASY and malleable jobs
}

// newWork returns a study whose steps have not begun. Its log is brought to the load s.Load; 0 leaves the load as it
// is. Jobs get multiples of unit nodes; 0: any number. A nil s.Table becomes [policy.Standard].
//
// The error is a *[replay.SettingError] if a setting does not fit the log or the others. It may also be a
// *[workload.DataError] if the log has no load that could be changed, or another error of [replay.Study.Check]. The
// study beside an error must not be used.
func newWork(log *replay.Log, unit int, a replay.Assumptions, s Settings) (*work, error) {
	w := &work{Settings: s, askedUnit: unit, log: log}
	if s.Load != 0 {
		var err error
		if w.log, err = log.AtLoad(s.Load); err != nil {
			return nil, err
		}
	}
	w.Nodes, w.Answer.Unit, w.Assumptions = log.Nodes, max(1, unit), a
	if w.Table == nil {
		w.Table = policy.Standard()
	}
	switch {
	case unit < 0 || unit > 0 && w.Nodes%unit != 0:
		return nil, &replay.SettingError{Setting: "min_nodes", Problem: fmt.Sprintf("the number of nodes, %d, is not a multiple of %d", w.Nodes, unit)}
	case unit == w.Nodes:
		return nil, &replay.SettingError{Setting: "min_nodes",
			Problem: fmt.Sprintf("%d nodes are one unit of %d: there is nothing to divide", w.Nodes, unit)}
	case s.Samples < 0 || s.Samples == 1:
		return nil, &replay.SettingError{Setting: "study",
			Problem: fmt.Sprintf("%d samples give no interval; use 0, or at least 2", s.Samples)}
	}
	w.replays = replay.Study{Log: w.log, Unit: w.Answer.Unit, Table: w.Settings.Table,
		Policies:    []policy.Policy{policy.EASY{}, policy.EASYMalleable{}},
		Shares:      slices.Sorted(slices.Values(slices.Concat(replay.ForecastShares(), curveShares))),
		BriefShares: curveShares, Assumptions: a, Seed: seed, Present: w.mostPresent()}
	return w, w.replays.Check()
}

// seed is the seed of all random numbers of a study. It draws which jobs are malleable, the jobs of the advice and the
// logs of the explanation.
const seed = 1

// mostPresent returns the largest number of jobs that may wait or run in a simulation at a time: s.Memory over
// [replay.BytesPresent], the memory of a job, and at most 2³⁰. Simulations stop with a *[replay.RunError] beyond this number,
// before they fill the memory.
func (s *Settings) mostPresent() int {
	return parallel.MostInMemory(replay.BytesPresent, s.Memory.Limit())
}

// reserveReplays reserves the memory of the replays that run at a time, out of the memory of the chains: [replay.BytesPresent] for
// each job in the system. So replays and chains fit into w.Memory together while [work.makeSteps] makes two steps at the
// same time. The number of jobs is estimated by the largest number in like, which are runs of the same jobs. If the
// replays need all memory, they are made before the chain is solved, or after it.
//
// reserveReplays waits until the memory is free, and returns the function that releases it. The error is the error of
// ctx.
func (w *work) reserveReplays(ctx context.Context, like []*replay.Run) (release func(), err error) {
	most := 0
	for _, run := range like {
		most = max(most, run.MostJobs)
	}
	workers := cmp.Or(w.Workers, runtime.GOMAXPROCS(0))
	return w.Memory.Reserve(ctx, min(replay.BytesPresent*float64(most)*float64(workers), w.Memory.Limit()))
}

// reasonOrError decides whether the failure of a step ends the study. If ctx has ended, err is problem or, if problem
// does not wrap the error of ctx, the error of ctx. Otherwise problem is returned as reason: callers store it in a field
// such as Missing, and the study goes on. Both results are nil if problem is nil, even after the end of ctx.
func reasonOrError(ctx context.Context, problem error) (reason, err error) {
	ended := ctx.Err()
	switch {
	case problem == nil || ended == nil:
		return problem, nil
	case errors.Is(problem, ended):
		return nil, problem
	}
	return nil, ended
}
