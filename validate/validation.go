package validate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Validation is simulations of policies in several ways, of which the first stands beside the solutions of the policies.
type Validation struct {
	Variants    []*Variant
	Unstable    []decide.Solved // solved policies that are not simulated, because they cannot keep up
	Untested    []error         // why policies are not tested on divided nodes
	Interrupted bool
}

// Variant is simulations in one way: of the model, of another machine, or of other jobs.
type Variant struct {
	Name        string // "" of the first; divided or machine of another machine, demands or log of other jobs
	Tested      bool   // against the solutions; otherwise the simulations stand beside them
	Simulator   Simulator
	Runs        []Simulation
	Comparisons []Comparison // of Runs, if the variant is tested
	steps       []step
}

// step is a policy to be simulated.
type step struct {
	policy   policy.Policy
	fidelity Fidelity
}

// BothFidelities is the fidelity of a [Validation] that simulates the model, and then whole nodes.
const BothFidelities Fidelity = "both"

// NewValidation returns what is to be simulated of policies, nothing of it simulated yet. The fidelity of model says how its jobs are
// simulated: on the machine of the model, on whole nodes, or on both, see [BothFidelities]. given has the same jobs, or other ones: a
// sample of demands, or the jobs of a log.
//
// The first variant is the model or, if only whole nodes are wanted, divided nodes. Divided nodes, whole nodes and other jobs follow.
// Static partitions and rigid jobs have whole nodes at any fidelity.
func NewValidation(policies []policy.Policy, model, given Simulator) *Validation {
	v := new(Validation)
	first := &Variant{Simulator: model, Tested: true}
	divided := &Variant{Name: "divided", Simulator: model, Tested: true}
	whole := &Variant{Name: "machine", Simulator: model}
	whole.Simulator.MinJobs = 0
	other := &Variant{Name: "demands", Simulator: given}
	if given.Replay != nil {
		other.Name = "log"
	}
	for _, p := range policies {
		finest, fidelity := DividedFidelity, ModelFidelity
		why := Comparable(model.System, p)
		if why != nil {
			finest = MachineFidelity
		}
		if model.Fidelity == MachineFidelity || !HasModel(p) {
			fidelity = finest
		}
		first.steps = append(first.steps, step{p, fidelity})
		if given.Replay != nil || given.Sample != nil {
			other.steps = append(other.steps, step{p, MachineFidelity})
		}
		if onWholeNodes(model.System, p) || fidelity == model.Fidelity && fidelity == ModelFidelity {
			continue
		}
		if why != nil {
			v.Untested = append(v.Untested, why)
		} else if fidelity == ModelFidelity {
			divided.steps = append(divided.steps, step{p, finest})
		}
		if fidelity != MachineFidelity && model.Fidelity != ModelFidelity {
			whole.steps = append(whole.steps, step{p, MachineFidelity})
		}
	}
	for _, one := range []*Variant{first, divided, whole, other} {
		if len(one.steps) > 0 {
			v.Variants = append(v.Variants, one)
		}
	}
	return v
}

// onWholeNodes reports whether a policy has no other simulation than the machine with whole nodes: policies of the chain under static
// partitioning and for rigid jobs, and policies without a chain.
func onWholeNodes(s *models.System, p policy.Policy) bool {
	switch p.(type) {
	case policy.Splitting, policy.Queued:
		return true
	}
	_, err := s.Chain(p)
	return errors.Is(err, models.ErrNoChain)
}

// Simulate simulates variant by variant, policy by policy. run simulates a policy, step i of n. If it is interrupted, Simulate sets
// v.Interrupted and leaves the runs as far as they have come. The error is that of run, or says that nothing was simulated.
func (v *Validation) Simulate(run func(i, n int, s Simulator, p policy.Policy) (Simulations, error)) error {
	begun, steps := 0, 0
	for _, one := range v.Variants {
		steps += len(one.steps)
	}
	for _, one := range v.Variants {
		for _, step := range one.steps {
			s := one.Simulator
			s.Fidelity = step.fidelity
			all, err := run(begun, steps, s, step.policy)
			begun++
			one.Runs = append(one.Runs, all.Runs...)
			switch {
			case all.Interrupted, errors.Is(err, context.Canceled) && len(v.Variants[0].Runs) > 0:
				v.Interrupted = true
				return nil
			case err != nil:
				return err
			}
		}
	}
	return nil
}

// Compare compares the runs of tested variants with the solutions of a decision. If the first variant has percentiles, they stand
// beside exact ones; doubt hears why a policy has no exact percentiles. The error is that of ctx.
func (v *Validation) Compare(ctx context.Context, d *decide.Decision, doubt func(error)) error {
	for k, one := range v.Variants {
		for i := 0; one.Tested && i < len(one.Runs); i++ {
			run := &one.Runs[i]
			solved, compared := d.Of(run.Policy), Unsolved(*run)
			if solved != nil {
				compared = Compare(solved.Measures, *run, 0)
			}
			if k == 0 && one.Simulator.Percentiles {
				exact, err := solved.Percentiles(ctx)
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil:
					doubt(err)
				}
				compared.showPercentiles(run, solved, exact)
			}
			one.Comparisons = append(one.Comparisons, compared)
		}
	}
	return nil
}

// showPercentiles adds the simulated percentiles to a comparison, beside the exact percentiles of a solution. The solution may be nil,
// and exact percentiles may be missing.
func (c *Comparison) showPercentiles(run *Simulation, solved *decide.Solved, exact *decide.Percentiles) {
	for _, e := range run.Measures {
		if isPercentile(e.Name) {
			c.show("", exactPercentile(exact, e.Name), e)
		}
	}
	for _, class := range run.Classes {
		var of *decide.Percentiles
		for k := 0; exact != nil && k < len(exact.Classes); k++ {
			if solved.Measures.Classes[k].Name == class.Name {
				of = exact.Classes[k]
			}
		}
		for _, e := range class.Percentiles {
			c.show(class.Name, exactPercentile(of, e.Name), e)
		}
	}
}

// isPercentile reports whether a measure is a percentile of response or waiting times.
func isPercentile(name string) bool {
	return slices.ContainsFunc(measure.ResponseTimePercentiles(), func(p float64) bool {
		return name == measure.ResponseTimePercentile(p) || name == measure.WaitingTimePercentile(p)
	})
}

// exactPercentile returns the percentile that a measure names; NaN if it is not known.
func exactPercentile(of *decide.Percentiles, name string) float64 {
	times := []struct {
		values []float64
		name   func(p float64) string
	}{{of.Of("response_time"), measure.ResponseTimePercentile}, {of.Of("waiting_time"), measure.WaitingTimePercentile}}
	for _, time := range times {
		for k, percent := range decide.Percents() {
			if time.values != nil && name == time.name(percent/100) {
				return time.values[k]
			}
		}
	}
	return math.NaN()
}

// Runs returns the simulations of all variants, or of the tested ones.
func (v *Validation) Runs(tested bool) []Simulation {
	var all []Simulation
	for _, one := range v.Variants {
		if one.Tested || !tested {
			all = append(all, one.Runs...)
		}
	}
	return all
}

// Failure returns the first comparison that failed, with its first rejected row; nil and nil if no comparison failed.
func (v *Validation) Failure() (*Comparison, *Row) {
	for _, one := range v.Variants {
		for i := range one.Comparisons {
			if row := one.Comparisons[i].Failure(); row != nil {
				return &one.Comparisons[i], row
			}
		}
	}
	return nil, nil
}

// ValidatedRow is the comparison of a measure of a policy in the first variant, with the one on divided nodes.
type ValidatedRow struct {
	Policy policy.Policy
	*Row
	Divided *Row // nil: the policy is not tested on divided nodes beside the model
}

// Passes reports whether no simulation differs significantly from the solution.
func (r *ValidatedRow) Passes() bool { return r.Pass && (r.Divided == nil || r.Divided.Pass) }

// Rows returns the comparisons of all policies, in the order of the first variant. The traffic intensities of policies that cannot keep
// up follow; their simulated values are NaN.
func (v *Validation) Rows() (rows []ValidatedRow) {
	for k, one := range v.Variants {
		for i := range one.Comparisons {
			c := &one.Comparisons[i]
			for j := 0; k == 0 && j < len(c.Rows); j++ {
				rows = append(rows, ValidatedRow{Policy: c.Policy, Row: &c.Rows[j]})
			}
			for j := range rows {
				if k > 0 && rows[j].Policy == c.Policy {
					rows[j].Divided = c.OfClass(rows[j].Class, rows[j].Measure)
				}
			}
		}
	}
	for i := range v.Unstable {
		u, nan := &v.Unstable[i], math.NaN()
		rows = append(rows, ValidatedRow{Policy: u.Policy, Row: &Row{Measure: measure.TrafficIntensity, Analytic: u.Measures.TrafficIntensity,
			Simulated: nan, Low: nan, High: nan, P: nan, Pass: true}})
	}
	return rows
}

// Estimate returns the estimate of the measure of a row. ok is false if the policy of the row was not simulated in this variant, or has no
// such measure.
func (one *Variant) Estimate(r *ValidatedRow) (e Estimate, ok bool) {
	i := slices.IndexFunc(one.Runs, func(s Simulation) bool { return s.Policy == r.Policy })
	if i < 0 {
		return e, false
	}
	return one.Runs[i].OfClass(r.Class, r.Measure)
}
