package study

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/advise"
	"github.com/partwise/partwise/validate/replay"
)

// Settings say which jobs are studied and how. The zero value studies all jobs as logged.
type Settings struct {
	Choice replay.Choice // which jobs of the log are studied; its Nodes are those of the machine
	Load   float64       // the times between submissions are stretched to this load; 0: as logged
	// Pooling and Unit fix how the nodes are divided among the jobs, and what sizes of jobs count. Where one of them is "", the candidate is
	// chosen that gives the waits of the log, or comes closest: see [Answer.Machines]. CPUs are among the candidates where the log was read
	// with [joblog.Options.CPUs] and most jobs of one node use part of a node.
	Pooling   Pooling
	Unit      joblog.Unit
	MoreNodes []int        // ascending numbers of nodes on which the log is replayed, too, from that of the machine on; fewer than two: none
	Samples   int          // of the weeks of the log, drawn again for intervals of the chain; 0: none, otherwise at least 2
	Table     policy.Table // of all policies that run; nil: that of [policy.Standard]
	// Carried, if not nil, returns the ways in which systems apply the rule of the advice: see [advise.Options].
	Carried  func(*advise.Advice) []advise.Carried
	Memory   *markov.Memory // of chains and of simulated jobs; nil: the default of [markov.NewMemory]
	Workers  int            // goroutines; 0: one for each processor. The answer does not depend on it.
	Observer Observer
}

// Answer is what a study found. A part that could not be had holds the error that says why; the log decides without it.
type Answer struct {
	Nodes int // of the machine; CPUs where the machine that was chosen counts CPUs
	// Unit is the number of nodes of which jobs get multiples where policies divide the machine among all jobs. It is 1 unless the
	// study was given a unit.
	Unit        int
	Machines    []Machine // the candidates for the machine of the log; one is chosen
	Assumptions replay.Assumptions
	Log         Log
	// Pool is the partition that Rivals.InPool, Advice and Chain are about, and to which nodes are added for the worth of malleable jobs: that
	// whose jobs wait longest under EASY, see [replay.Run.WaitingPool]. It is nil if all jobs share one machine.
	Pool *replay.Pool
	// Sample is the weeks of a long log on which Breakevens, Variations, the Worth and the forecasts of Gains, the rule and the replays that explain
	// the chain are made. It is nil if they are made on the whole log. The baseline, the shares and the other policies are always those of
	// the whole log.
	Sample     *replay.Sample
	Gains      Gains
	Apart      Apart
	OnNodes    OnNodes
	Breakevens []replay.Breakeven // by share of malleable jobs, as in Gains.Runs; none if there are no runs
	Variations []replay.Variation // the first of which is the study as it is; none if there are no runs
	Rivals     Rivals
	Advice     Advice
	Chain      Chain
}

// Of returns the answer for the jobs of a log on machine m. First it finds out whether all jobs share the nodes, or
// each partition has nodes of its own, and whether sizes count nodes or CPUs. The candidate counts under which EASY
// backfilling gives the logged waits, or comes closest. Of says what EASY backfilling and shares of malleable jobs make
// of the log, and up to which cost of a resize resizing pays. It varies the assumptions, compares other policies, finds
// a rule by which to resize, and solves a Markov chain of the machine.
//
// Jobs get multiples of m.Unit nodes. If m.Unit is 0, they get any number of nodes, and the chain has the unit of
// [DivisionUnit]. The assumptions a are what no log tells.
//
// All times are in seconds. The error is one of [replay.Choose], a *[replay.SettingError] if settings do not fit each
// other, or that of ctx. The answer lacks a part if a policy cannot run the jobs, if no rule can be found, or if the
// chain cannot be solved.
func Of(ctx context.Context, jobs joblog.Jobs, m policy.Machine, a replay.Assumptions, s Settings) (*Answer, error) {
	s.Choice.Nodes = m.Nodes
	log, err := replay.Choose(jobs, s.Choice)
	if err != nil {
		return nil, err
	}
	return OfLog(ctx, log, m.Unit, a, s)
}

// OfLog returns the answer for the chosen jobs of a log, as [Of] does. unit is the number of nodes of which jobs get
// multiples; 0: any number. s.Choice is not used. The parts of the answer are made in the order of [Part].
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
	w, err := newWork(machines[slices.IndexFunc(machines, func(m Machine) bool { return m.Chosen })].Log, unit, a, s)
	if err != nil {
		return nil, err
	}
	w.Machines = machines
	for part, do := range []func(context.Context) error{
		Describing:        w.describe,
		ReplayingShares:   w.replayShares,
		ReplayingApart:    w.replayApart,
		ReplayingRivals:   w.replayRivals,
		SolvingChain:      w.solveChain,
		FindingBreakevens: w.findBreakevens,
		FindingWorth:      w.findWorth,
		ReplayingNodes:    w.replayOnNodes,
		ReplayingLoads:    w.replayLoads,
		Varying:           w.vary,
		Advising:          w.advise,
		ExplainingChain:   w.explainChain,
		ResamplingChain:   w.resample,
	} {
		w.Observer.begun(Part(part))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := do(ctx); err != nil {
			return nil, err
		}
	}
	return &w.Answer, nil
}

// Machine returns the candidate that is chosen for the machine of the log, as an element of a.Machines.
func (a *Answer) Machine() *Machine {
	return &a.Machines[slices.IndexFunc(a.Machines, func(m Machine) bool { return m.Chosen })]
}

// work is a study under way. Its methods set the parts of the answer.
type work struct {
	Settings
	Answer
	log        *replay.Log  // the log at the load of the study
	askedUnit  int          // the unit that the caller asked for; 0: none
	oneMachine *replay.Log  // the log of the one machine of rules, splits and chains: log, or that of its Pool
	weeksOfOne *replay.Log  // the same machine with the jobs in the weeks of the Sample, if there is one
	replays    replay.Study // EASY and malleable jobs
}

// newWork returns a study that has not begun, of the log at the load of the settings. unit is the number of nodes of
// which policies give multiples; 0: any number. The error says which setting does not fit the log; it is a
// *[replay.SettingError] in most cases.
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
		return nil, &replay.SettingError{Setting: "min_nodes", Problem: fmt.Sprintf("%d nodes are not a multiple of %d", w.Nodes, unit)}
	case unit == w.Nodes:
		return nil, &replay.SettingError{Setting: "min_nodes", Problem: fmt.Sprintf("%d nodes are one unit of %d: there is nothing to divide", w.Nodes, unit)}
	case s.Samples < 0 || s.Samples == 1:
		return nil, &replay.SettingError{Setting: "study", Problem: fmt.Sprintf("%d samples give no interval; use 0, or at least 2", s.Samples)}
	}
	w.replays = replay.Study{Log: w.log, Unit: w.Answer.Unit, Table: w.Settings.Table, Policies: []policy.Policy{policy.EASY{}, policy.EASYMalleable{}},
		Shares: slices.Sorted(slices.Values(slices.Concat(replay.ForecastShares(), curveShares))), Assumptions: a, Seed: seed,
		Present: w.mostPresent()}
	return w, w.replays.Check()
}

// seed is the seed of all random numbers of a study. It draws which jobs are malleable, the jobs of the advice and the
// logs of the explanation.
const seed = 1

// bytesPresent is the number of bytes that a job takes that waits or runs, with garbage.
const bytesPresent = 2000

// mostPresent returns the largest number of jobs that may be in a simulated system at a time, for the memory of the
// study.
func (s *Settings) mostPresent() int { return int(min(s.Memory.Limit()/bytesPresent, 1<<30)) }

// reasonOrError separates two kinds of errors of a part. If the context has ended, it returns problem as err, which
// ends the study. Otherwise it returns problem as reason: why the part is missing, while the study goes on.
func reasonOrError(ctx context.Context, problem error) (reason, err error) {
	if problem != nil && ctx.Err() != nil {
		return nil, problem
	}
	return problem, nil
}
