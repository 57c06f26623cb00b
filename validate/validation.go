package validate

import (
	"context"
	"errors"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// Validation is a plan of simulations that are compared with the solutions of policies, and the results so far. [NewValidation]
// makes the plan, [Validation.Simulate] makes the simulations, and [Validation.Compare] makes the comparisons.
type Validation struct {
	Variants    []*Variant
	Unstable    []decide.Solved // solved policies that are not simulated because they are unstable; the caller sets them
	Untested    []error         // why policies are not simulated on divided nodes, see [Comparable]
	Interrupted bool            // [Validation.Simulate] ended before the last simulation
}

// Variant is one way to simulate the policies of a [Validation]: the model, another machine, or other jobs.
type Variant struct {
	// Name is empty for the first variant. It is divided or machine for another machine, and demands or log for other jobs.
	Name        string
	Tested      bool // the simulations are tested against the solutions; otherwise they are only shown beside them
	Simulator   Simulator
	Runs        []Simulation // the simulations so far, one for each policy
	Comparisons []Comparison // one for each of Runs, if Tested
	plan        []planned
}

// planned is a policy to be simulated, and the machine on which its jobs run.
type planned struct {
	policy   policy.Policy
	fidelity Fidelity
}

// BothFidelities is the fidelity of a [Validation] that simulates the model, divided nodes and whole nodes.
const BothFidelities Fidelity = "both"

// NewValidation returns the plan of a validation of policies, without results. model simulates the jobs of the model. Its fidelity is
// [ModelFidelity], [MachineFidelity] or [BothFidelities]. given simulates other jobs if its Sample or Replay is set: demands from
// a sample, or the jobs of a log.
//
// The variants are, in this order and without variants that have no policies:
//
//   - the first: the model. At [MachineFidelity], and for policies that cannot be simulated on the model, divided nodes take its place.
//     Whole nodes take its place for policies without a chain, and for policies that are not [Comparable] there.
//   - divided: divided nodes, at [BothFidelities], for policies that the first variant simulates on the model.
//   - machine: whole nodes, at [MachineFidelity] and [BothFidelities], for policies that the first variant does not simulate on whole nodes.
//   - demands or log: the jobs of given, on whole nodes.
//
// Policies that have whole nodes at any fidelity are simulated in the first and the last variant only: static partitions, rigid
// jobs and policies without a chain.
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
		if why != nil || hasNoChain(model.System, p) {
			finest = MachineFidelity
		}
		if model.Fidelity == MachineFidelity || !canModel(model.System, p) {
			fidelity = finest
		}
		first.plan = append(first.plan, planned{p, fidelity})
		if given.Replay != nil || given.Sample != nil {
			other.plan = append(other.plan, planned{p, MachineFidelity})
		}
		if onWholeNodes(model.System, p) || fidelity == model.Fidelity && fidelity == ModelFidelity {
			continue
		}
		if why != nil {
			v.Untested = append(v.Untested, why)
		} else if fidelity == ModelFidelity {
			divided.plan = append(divided.plan, planned{p, finest})
		}
		if fidelity != MachineFidelity && model.Fidelity != ModelFidelity {
			whole.plan = append(whole.plan, planned{p, MachineFidelity})
		}
	}
	for _, variant := range []*Variant{first, divided, whole, other} {
		if len(variant.plan) > 0 {
			v.Variants = append(v.Variants, variant)
		}
	}
	return v
}

// onWholeNodes reports whether a policy can only be simulated on a machine of whole nodes. This is so for static partitions,
// rigid jobs, and policies without a chain.
func onWholeNodes(s *models.System, p policy.Policy) bool {
	switch p.(type) {
	case policy.Splitting, policy.Queued:
		return true
	}
	return hasNoChain(s, p)
}

// hasNoChain reports whether a policy has no exact chain on a system.
func hasNoChain(s *models.System, p policy.Policy) bool {
	_, err := s.Chain(p)
	return errors.Is(err, models.ErrNoChain)
}

// canModel reports whether a policy can be simulated on a system at [ModelFidelity]. It is true of what is wrong for other reasons.
func canModel(sys *models.System, p policy.Policy) bool {
	s, err := newSubject(sys, p, nil, Options{})
	if err == nil {
		_, err = s.chain(sys)
	}
	return !errors.Is(err, ErrMachineFidelity)
}

// check returns an error if the validation or one of its variants is nil.
func (v *Validation) check() error {
	if v == nil || slices.Contains(v.Variants, nil) {
		return errors.New("validate: the plan of a validation is missing")
	}
	return nil
}

// Simulate makes the simulations of the plan, variant by variant and policy by policy, and adds the results to Runs of the
// variants. run simulates policy p with s; it is the i-th of n simulations, i from 0.
//
// Simulate ends when a run is interrupted, or when run returns context.Canceled and the first variant has results. It then sets
// v.Interrupted and returns nil. Any other error of run ends Simulate, too, and is returned. A nil validation or run, and a nil
// variant, are errors.
func (v *Validation) Simulate(run func(i, n int, s Simulator, p policy.Policy) (Simulations, error)) error {
	if err := v.check(); err != nil {
		return err
	}
	if run == nil {
		return errors.New("validate: no function that simulates is given")
	}
	begun, n := 0, 0
	for _, variant := range v.Variants {
		n += len(variant.plan)
	}
	for _, variant := range v.Variants {
		for _, next := range variant.plan {
			s := variant.Simulator
			s.Fidelity = next.fidelity
			all, err := run(begun, n, s, next.policy)
			begun++
			variant.Runs = append(variant.Runs, all.Runs...)
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

// Compare compares the runs of the tested variants with the solutions in d, and adds the results to Comparisons of the variants.
// A run whose policy is not solved in d has rows without analytic values, see [Unsolved].
//
// If the first variant simulates percentiles, its comparisons also show the exact percentiles. Compare calls warn with the reason
// why a policy has no exact percentiles, unless warn is nil. The error comes from ctx, or says that v, d or a variant is nil.
func (v *Validation) Compare(ctx context.Context, d *decide.Decision, warn func(error)) error {
	if err := v.check(); err != nil {
		return err
	}
	if d == nil {
		return errors.New("validate: no decision is given")
	}
	for k, variant := range v.Variants {
		for i := 0; variant.Tested && i < len(variant.Runs); i++ {
			run := &variant.Runs[i]
			solved, compared := d.Of(run.Policy), Unsolved(*run)
			if solved != nil {
				compared = Compare(solved.Measures, *run, 0)
			}
			if k == 0 && variant.Simulator.Percentiles {
				exact, err := solved.Percentiles(ctx)
				switch {
				case ctx.Err() != nil:
					return ctx.Err()
				case err != nil && warn != nil:
					warn(err)
				}
				compared.showPercentiles(run, solved, exact)
			}
			variant.Comparisons = append(variant.Comparisons, compared)
		}
	}
	return nil
}

// Runs returns the simulations of all variants, in their order. If tested is set, it returns the simulations of tested variants only.
func (v *Validation) Runs(tested bool) []Simulation {
	var all []Simulation
	for _, variant := range v.Variants {
		if variant.Tested || !tested {
			all = append(all, variant.Runs...)
		}
	}
	return all
}

// JobsNeeded returns the number of jobs with which the simulations of all policies in the first variant would most likely be long
// enough, see [Comparison.TooShort]. It is 0 before [Validation.Compare], and if all simulations are long enough.
func (v *Validation) JobsNeeded() (most int64) {
	if v == nil || len(v.Variants) == 0 || v.Variants[0] == nil {
		return 0
	}
	for i := range v.Variants[0].Comparisons {
		_, needed := v.Variants[0].Comparisons[i].TooShort()
		most = max(most, needed)
	}
	return most
}
