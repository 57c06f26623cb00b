package studycmd

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/study"
)

// assumptionsOfRigid say what each step from the log to the chain of rigid jobs assumes.
var assumptionsOfRigid = map[study.RigidAssumption]string{
	study.AsEASY:      "the log under EASY backfilling",
	study.InOrder:     "in the order of arrival (fcfs)",
	study.Grouped:     "jobs ask for the sizes of the chain, at the same node-time",
	study.Independent: "jobs and times between them in random order",
	study.Fitted:      "the chain: fitted distributions",
}

// rigidSteps returns the mean response times on the way from the log to the chain of rigid jobs, and by what factor
// each step changes them.
func (v *view) rigidSteps() *output.List {
	steps := v.Chain.Rigid.Steps
	return output.NewTable("Rigid jobs: from the log to the chain, an assumption a step", steps, func(s *study.RigidStep) output.Row {
		row := output.Row{output.InTable("assumption").Is(assumptionsOfRigid[s.Assumption]),
			output.InJSON("assumption", string(s.Assumption)),
			output.Measure(measure.MeanResponseTime).Digits(5).Is(s.MeanResponseTime)}
		factor := output.Col("factor", "times the step before").Factors().JSON()
		for i := range steps[1:] {
			if steps[i+1].Assumption == s.Assumption {
				return append(row, factor.Is(s.MeanResponseTime/steps[i].MeanResponseTime))
			}
		}
		return append(row, factor.Is(nil))
	}).In("s")
}

// rigidSentences say what the chain of rigid jobs tells, or why there is no such chain.
func (v *view) rigidSentences() []string {
	c := &v.Chain.Rigid
	if c.Missing != nil {
		return []string{"There is no chain of rigid jobs in their order (fcfs): " +
			fault.Plain(input.Misfit(input.MethodError(markov.Auto, c.Missing))) + "."}
	}
	sizes := ""
	for i, class := range c.System.Classes {
		if i > 0 {
			sizes += ", "
		}
		sizes += fmt.Sprintf("%s for those of %s", words.Count(class.Nodes, v.unit()), class.Name)
	}
	says := fmt.Sprintf("The chain of rigid jobs in their order (fcfs) has %s: %s. ",
		words.Count(len(c.System.Classes), "size"), sizes)
	if !c.Measures.Stable {
		return []string{says + fmt.Sprintf("It is unstable: in order, independent jobs keep at most %s %% of the %ss busy. The log "+
			"ends, so that its replays have a response time.", words.Round(100*c.Measures.Rigid.SaturatedUtilization, 3), v.unit())}
	}
	says += fmt.Sprintf("It keeps at most %s %% of the %ss busy, and its traffic intensity is %s.",
		words.Round(100*c.Measures.Rigid.SaturatedUtilization, 3), v.unit(), words.Round(c.Measures.TrafficIntensity, 3))
	factor := func(i int) string { return words.Round(c.Steps[i].MeanResponseTime/c.Steps[i-1].MeanResponseTime, 3) }
	return []string{says, fmt.Sprintf("On the way from EASY on the log to this chain, "+
		"order multiplies the mean response time by %s, grouping into sizes by %s, independence by %s "+
		"and fitted distributions by %s.", factor(1), factor(2), factor(3), factor(4))}
}

// rigidObject is the chain of rigid jobs in JSON; nil if it was not solved.
func (v *view) rigidObject() any {
	c := &v.Chain.Rigid
	if c.Missing != nil {
		return nil
	}
	var classes []output.Object
	for i, class := range c.System.Classes {
		o := output.Pairs("name", class.Name, "nodes", class.Nodes)
		if c.Measures.Stable {
			of := &c.Measures.Classes[i]
			o = append(o, output.Pairs("share", of.Share, measure.MeanResponseTime, of.MeanResponseTime,
				measure.MeanWaitingTime, of.MeanWaitingTime, measure.ProbabilityWait, of.ProbabilityWait)...)
		}
		classes = append(classes, o)
	}
	o := output.Pairs("stable", c.Measures.Stable, measure.TrafficIntensity, c.Measures.TrafficIntensity,
		measure.SaturatedUtilization, c.Measures.Rigid.SaturatedUtilization)
	if c.Measures.Stable {
		o.Add(measure.MeanResponseTime, c.Measures.MeanResponseTime)
	}
	return append(o, output.Pairs("classes", classes, "steps", v.rigidSteps().Objects())...)
}
