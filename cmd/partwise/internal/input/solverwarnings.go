package input

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Warnings returns what the solver warns of a solved policy, such as that it is unstable, as sentences without the word
// warning.
func Warnings(timeUnit string, r *decide.Solved) []string {
	var all []string
	for _, w := range r.Warnings() {
		var unstable *models.UnstableError
		var thrashing *decide.ThrashingError
		switch {
		case errors.As(w, &unstable):
			reason := ""
			if r.Measures.Rigid != nil {
				reason = keptBusy(r) + "; "
			}
			all = append(all, fmt.Sprintf("unstable: %straffic intensity %s; the largest stable arrival rate is %s per %s", reason,
				words.Round(unstable.TrafficIntensity, 4), words.Round(unstable.MaxArrivalRate, 4), timeUnit))
		case errors.As(w, &thrashing):
			all = append(all, fmt.Sprintf("thrashing: %s of the time goes into repartitioning", words.Percent(thrashing.Share)))
		default:
			all = append(all, w.Error())
		}
	}
	return all
}

// PerUnit has the error of an unstable policy tell its rate per unit of time, and returns it. Other errors stay as they are.
func PerUnit(err error, u measure.TimeUnit) error {
	var unstable *models.UnstableError
	if errors.As(err, &unstable) {
		unstable.TimeUnit = u.Name
	}
	return err
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
			fmt.Errorf("%v is unstable: %s; it saturates at load %s", widest.Policy, keptBusy(&widest),
				words.SaturationLoad(most/file.System.Capacity(), 3)))
	}
	return fault.Hint(fault.ExitUnstable,
		fmt.Sprintf("it would be stable below load %s", words.SaturationLoad(most/file.System.Capacity(), 4)),
		fmt.Errorf("no requested policy is stable: the traffic intensity is %s under %v, the largest stable arrival "+
			"rate %s per %s", words.Round(widest.Measures.TrafficIntensity, 4), widest.Policy,
			words.Round(most, 4), file.TimeUnit.Name))
}

// keptBusy says how much of the machine the rigid jobs of a policy can keep busy.
func keptBusy(r *decide.Solved) string {
	text := fmt.Sprintf("jobs keep at most %s %% of the nodes busy", words.Round(100*r.Measures.Rigid.SaturatedUtilization, 3))
	if r.Policy == (policy.FCFS{}) {
		return "in order, " + text
	}
	return text
}
