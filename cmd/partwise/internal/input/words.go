package input

import (
	"cmp"
	"errors"
	"fmt"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/words"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
)

// Headline names a model, its machine and its load.
func Headline(file *modelfile.Model) string {
	return MachineHeadline(file) + ", load " + output.Load(file.System.Load())
}

// MachineHeadline returns a title for results: the model, the nodes of its machine and, if it is not 1, their unit.
func MachineHeadline(file *modelfile.Model) string {
	s := file.System
	partitions := ""
	if s.MinNodes > 1 {
		partitions = fmt.Sprintf(" in units of %d", s.MinNodes)
	}
	return fmt.Sprintf("%s: %s%s", file.Title, words.Count(s.Nodes, "node"), partitions)
}

// Heading returns the first fields of every result about a model: its title, time unit and machine, rates per time unit, and
// the load.
func Heading(file *modelfile.Model) output.Object {
	s := file.System
	return output.Pairs("version", output.Version, "title", file.Title, "time_unit", file.TimeUnit.Name,
		"machine", MachineObject(s.Machine()), "arrival_rate", s.Arrivals.Rate(), "arrival_scv", s.Arrivals.SCV(),
		"capacity", s.Capacity(), "load", s.Load())
}

// MachineObject is what results say about the machine of a model.
func MachineObject(m policy.Machine) output.Object {
	return output.Pairs("nodes", m.Nodes, "min_nodes", m.Unit, "partitions", m.Partitions())
}

// Assumed returns what model files leave open, each value once, with a flag that sets another.
func Assumed(files ...*modelfile.Model) []output.Assumption {
	var r output.Result
	for _, file := range files {
		for _, a := range file.Assumed {
			r.Assume(output.Assumption{Name: a.Name, Value: a.Value, Flag: "--set " + a.Other.String()})
		}
	}
	return r.Assumed
}

// AssumedBeside returns what a model file leaves open. Where the command line gives --resize-cost, that flag takes the place of
// the overheads, and of who stops for them.
func AssumedBeside(inv *cli.Invocation, file *modelfile.Model) []output.Assumption {
	return slices.DeleteFunc(Assumed(file), func(a output.Assumption) bool {
		return inv.Given("resize-cost") && slices.Contains([]string{modelfile.Overhead, modelfile.Distribution, modelfile.Stops}, a.Name)
	})
}

// Warnings returns what the solver warns of a solved policy, such as that it is unstable, as sentences without the word
// warning.
func Warnings(timeUnit string, r *decide.Solved) []string {
	var all []string
	for _, w := range r.Warnings() {
		var unstable *models.UnstableError
		var thrashing *decide.ThrashingError
		switch {
		case errors.As(w, &unstable) && r.Measures.Rigid != nil:
			all = append(all, fmt.Sprintf("unstable: %s; traffic intensity %s; the largest stable arrival rate is %s per %s", keptBusy(r),
				output.Round(unstable.TrafficIntensity, 4), output.Round(unstable.MaxArrivalRate, 4), timeUnit))
		case errors.As(w, &unstable):
			all = append(all, fmt.Sprintf("unstable: traffic intensity %s; the largest stable arrival rate is %s per %s",
				output.Round(unstable.TrafficIntensity, 4), output.Round(unstable.MaxArrivalRate, 4), timeUnit))
		case errors.As(w, &thrashing):
			all = append(all, fmt.Sprintf("thrashing: %s of the time goes into repartitioning", output.Percent(thrashing.Share)))
		default:
			all = append(all, w.Error())
		}
	}
	return all
}

// Unstable returns an error if no result is stable. The error says below which load a policy would be stable.
func Unstable(file *modelfile.Model, results []decide.Solved) error {
	if slices.ContainsFunc(results, func(r decide.Solved) bool { return r.Measures.Stable }) {
		return nil
	}
	widest := slices.MaxFunc(results, func(a, b decide.Solved) int {
		return cmp.Compare(a.Measures.MaxArrivalRate, b.Measures.MaxArrivalRate)
	})
	most := widest.Measures.MaxArrivalRate
	if widest.Measures.Rigid != nil {
		return fault.Hint(fault.ExitUnstable, "a lower load, or --policy dynamic: jobs that are resized keep all nodes busy",
			fmt.Errorf("%v is unstable: %s; it saturates at load %s", widest.Policy, keptBusy(&widest), output.Round(most/file.System.Capacity(), 3)))
	}
	return fault.Hint(fault.ExitUnstable, fmt.Sprintf("it would be stable below load %s", output.Round(most/file.System.Capacity(), 4)), fmt.Errorf("no requested policy is stable: the traffic intensity is %s under %v, the largest stable arrival "+
		"rate %s per %s", output.Round(widest.Measures.TrafficIntensity, 4), widest.Policy,
		output.Round(most, 4), file.TimeUnit.Name))
}

// keptBusy says how much of the machine the rigid jobs of a policy can keep busy.
func keptBusy(r *decide.Solved) string {
	text := fmt.Sprintf("jobs keep at most %s %% of the nodes busy", output.Round(100*r.Measures.Rigid.SaturatedUtilization, 3))
	if r.Policy == (policy.FCFS{}) {
		return "in order, " + text
	}
	return text
}
