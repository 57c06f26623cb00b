package models

import (
	"cmp"
	"context"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/multiserver"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/markovtest"
)

// Response is the distribution of a response time.
type Response = response

// StepResponse is the distribution that its witness finds.
type StepResponse = stepResponse

// Mean returns the mean by the transform at a time that is long beside it; what that leaves out is 1e-8 of the mean.
func (r *response) Mean(ctx context.Context) (float64, error) {
	v, err := r.at(ctx, complex(1e-8/r.meanTime, 0))
	return real(v), err
}

// States returns the number of states of a job in service.
func (r *response) States() int { return r.service.States() }

// TaggedBytes is the memory of a state of a job in service.
const TaggedBytes = taggedBytes

// RestOfChanges bounds what larger limits of jobs behind would change.
var RestOfChanges = restOfChanges

// ErrApproximate is the warning of a machine that several classes share in time.
var ErrApproximate = errApproximate

// StateChain writes out the chain of a policy.
func (s *System) StateChain(ctx context.Context, p policy.Policy, memory *markov.Memory) (*stateChain, error) {
	return s.stateChain(ctx, p, memory)
}

// SolveWithin is Solve with another limit of iterations.
func (m *TimeSharedMachine) SolveWithin(ctx context.Context, iterations int) (*TimeSharedSolution, error) {
	return m.solve(ctx, markov.Settings{}, iterations)
}

// Delays returns the distributions of the waiting and the response time under static partitioning.
func (p *SP) Delays(ctx context.Context, class string) (waiting, response *multiserver.Delay, err error) {
	m, err := p.model()
	if err != nil {
		return nil, nil, err
	}
	sol, err := m.(*sp).queue().Solve(ctx, markov.Settings{})
	if err != nil {
		return nil, nil, err
	}
	return m.(*sp).delays(ctx, sol, class)
}

// NewSystemOfClasses is [NewSystem] for jobs of several classes.
func NewSystemOfClasses(nodes, minNodes int, arrivals phasetype.MAP, classes []Class) (*System, error) {
	s := &System{Nodes: nodes, MinNodes: minNodes, Arrivals: arrivals, Classes: classes}
	var err error
	if s.Service, err = s.ServiceTimes(); err == nil {
		err = s.Check()
	}
	return s, err
}

// Smoothed and Resizing are the chains of smoothed partitioning and of a rule.
type (
	Smoothed struct {
		System  *System
		Minimum phasetype.Dist
	}
	Resizing struct {
		System *System
		Rule   policy.Resize
	}
)

func (d *Smoothed) chain() (*ruleChain, error) { return newSmoothed(d.System, d.Minimum) }
func (d *Resizing) chain() (*ruleChain, error) { return newRuled(d.System, d.Rule) }

func (d *Smoothed) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	return solveRule(ctx, d, st)
}
func (d *Resizing) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	return solveRule(ctx, d, st)
}

func solveRule(ctx context.Context, d interface{ chain() (*ruleChain, error) }, st markov.Settings) (Measures, error) {
	c, err := d.chain()
	if err != nil {
		return Measures{}, err
	}
	return c.Solve(ctx, st)
}

// DEP is the chain of dynamic partitioning among at most Cap jobs, or N if Cap is 0; SP that of static partitioning.
type (
	DEP struct {
		System *System
		Cap    int
	}
	SP struct {
		System     *System
		Partitions int
	}
)

func (d *DEP) model() (Model, error) {
	if d.Cap != 0 {
		return d.System.Chain(policy.Capped{Jobs: d.Cap})
	}
	return d.System.Chain(policy.Dynamic{})
}

func (p *SP) model() (Model, error) { return p.System.Chain(policy.Static{Partitions: p.Partitions}) }

func solveModel(ctx context.Context, d interface{ model() (Model, error) }, st markov.Settings) (Measures, error) {
	m, err := d.model()
	if err != nil {
		return Measures{}, err
	}
	return m.Solve(ctx, st)
}

func (d *DEP) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	return solveModel(ctx, d, st)
}
func (p *SP) Solve(ctx context.Context, st markov.Settings) (Measures, error) {
	return solveModel(ctx, p, st)
}

// Queue returns the queue that the chain is.
func (d *DEP) Queue() (*multiserver.Queue, error) {
	m, err := d.model()
	if m, ok := m.(*dep); ok {
		return m.queue(), err
	}
	return nil, cmp.Or(err, ErrNoChain)
}

func (p *SP) Queue() (*multiserver.Queue, error) {
	m, err := p.model()
	if err != nil {
		return nil, err
	}
	return m.(*sp).queue(), nil
}

// Service returns the time that a job occupies its partition.
func (p *SP) Service() (phasetype.Dist, error) {
	m, err := p.model()
	if err != nil {
		return phasetype.Dist{}, err
	}
	return m.(*sp).service, nil
}

// CheckSize returns the error by which a chain is refused before it is solved, or the seconds that it takes.
func CheckSize(ctx context.Context, d Model, st markov.Settings) (float64, error) {
	m, err := d.(interface{ model() (Model, error) }).model()
	if err != nil {
		return 0, err
	}
	return m.(interface {
		CheckSize(context.Context, markov.Settings) (float64, error)
	}).CheckSize(ctx, st)
}

// ResponseTime returns the distribution of the response time of a class.
func (d *DEP) ResponseTime(ctx context.Context, class string, memory *markov.Memory) (*Response, error) {
	m, err := d.model()
	if m, ok := m.(*dep); ok {
		return m.responseTime(ctx, class, memory)
	}
	return nil, cmp.Or(err, ErrNoChain)
}

// Steps returns the same distribution by following the job step by step.
func (d *DEP) Steps(ctx context.Context, class string) (*stepResponse, error) {
	m, err := d.model()
	if m, ok := m.(*dep); ok {
		return m.followBySteps(ctx, class)
	}
	return nil, cmp.Or(err, ErrNoChain)
}

// Walk returns it with 31 digits.
func (d *DEP) Walk(ctx context.Context, class string, lost float64, most int) (w *markovtest.Walk, lostAt int, err error) {
	m, err := d.model()
	if m, ok := m.(*dep); ok {
		return m.walk(ctx, class, lost, most)
	}
	return nil, 0, cmp.Or(err, ErrNoChain)
}

func (d *DEP) jobs() int { return cmp.Or(d.Cap, d.System.Partitions()) }
