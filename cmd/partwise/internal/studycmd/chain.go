package studycmd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/reportcmd"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/study"
)

// noChain says why there is no chain.
func (v *view) noChain() string {
	return fault.Plain(input.Misfit(input.MethodError(markov.Auto, v.Chain.Missing)))
}

// winners say which partitioning wins by the chain and by the log.
func (v *view) winners() string {
	return fmt.Sprintf("%s partitioning wins by the chain, %s partitioning wins by the log",
		logview.Winner(v.Chain.Report.Predicted.Ratio), logview.Winner(v.Chain.Ratio.Mean))
}

// differ is the error that chain and log significantly prefer different partitioning.
func (v *view) differ() error {
	if v.Chain.Agreement() != study.Differ {
		return nil
	}
	return fault.Failf(fault.ExitFailed, "chain_and_log_differ: %s", v.winners())
}

// agreement says whether the winners by the chain and by the log are the same; "" where the log has none to compare.
func (v *view) agreement() string {
	c := &v.Chain
	verdict := ""
	switch c.Agreement() {
	case study.Unknown:
		return ""
	case study.Agree:
		verdict = "agree: " + logview.Winner(c.Report.Predicted.Ratio) + " partitioning wins"
	case study.Differ:
		verdict = "differ: " + v.winners()
	case study.NotSignificant:
		verdict = "do not differ significantly"
	}
	log := words.Round(c.Ratio.Mean, 3) + " times by the log"
	if len(c.Draft.System.Classes) > 0 {
		log = fmt.Sprintf("%s times by the log with jobs that can use as many %[2]ss as those of the chain, and %[3]s with any "+
			"number of %[2]ss", words.Round(c.Report.Replayed.Ratio, 3), v.unit(), log)
	}
	if unit := c.Draft.System.MinNodes; unit > 1 {
		log += fmt.Sprintf(", all in units of %d %ss", unit, v.unit())
	}
	return fmt.Sprintf("The chain and the log %s. Under dynamic partitioning jobs are %s times as fast as under the best static "+
		"split by the chain, %s.", verdict, words.Round(c.Report.Predicted.Ratio, 3), log)
}

// chainPart is the section of the page about the chain.
func (v *view) chainPart() reportcmd.Part {
	c := &v.Chain
	part := reportcmd.Part{Title: "If jobs were independent", Bullets: v.violated()}
	if c.Missing != nil {
		part.Lead = append([]string{"There is no chain of this machine: " + v.noChain() + "."}, words.NonEmpty(v.unitRemedy())...)
		return part
	}
	machine := "the same machine"
	if v.Pool != nil {
		machine = "partition " + v.Pool.Name + ", whose jobs wait longest"
	}
	part.Lead = c.Decision.Sentences("the chain says of "+machine+", if jobs were independent: ",
		math.NaN()) // its load counts jobs on more nodes
	part.Lead = append(part.Lead, words.NonEmpty(v.chosenUnit(), v.agreement())...)
	if n := len(c.Draft.System.Classes); n > 1 {
		part.Lead = append(part.Lead,
			fmt.Sprintf("The chain has %d classes of jobs by the %ss that they asked for. In a repartition all jobs "+
				"stop: there is no chain of classes in which only the resized jobs stop.", n, v.unit()))
	}
	part.Lead = append(part.Lead, "Do not plan with the times of the chain. A table says why they differ from those of the log.")
	part.Lead = append(part.Lead, v.rigidSentences()...)
	explained := v.explanation()
	part.Tables = []*output.List{explained.Forecasts(), v.classes(), explained.Effects()}
	if v.Chain.Rigid.Missing == nil {
		part.Tables = append(part.Tables, v.rigidSteps())
	}
	return part.Show(v.certainty(), "")
}

// explanation lays out why chain and log differ.
func (v *view) explanation() *logview.Explanation {
	return &logview.Explanation{LogReport: *v.Chain.Report, Unit: "s"}
}

// classes returns the classes of jobs under the policies that are compared.
func (v *view) classes() *output.List {
	return solution.Classes(slices.DeleteFunc(slices.Clone(v.Chain.Decision.Results), func(r decide.Solved) bool {
		return !slices.Contains(v.Chain.Report.Policies, r.Policy)
	}), "s", nil)
}

// certainty returns the intervals of the chain by weeks drawn again; nil if none were drawn.
func (v *view) certainty() *output.Result {
	c := &v.Chain
	if c.Samples == nil {
		return nil
	}
	r := &output.Result{}
	solution.ShowBootstrap(c.Samples, c.Asked, &c.Decision, "s", r)
	return r
}

// violated says what the chain assumes and the log violates.
func (v *view) violated() []string {
	var claims []string
	if v.Log.Statistics != nil {
		for _, a := range v.Log.Statistics.Assumptions {
			if a.Verdict == logstats.Violated {
				claims = append(claims, a.Claim)
			}
		}
	}
	if claims == nil {
		return nil
	}
	return []string{"The log violates what the chain assumes: " + strings.Join(claims, "; ") + "."}
}

// chainObject returns the fields of JSON about the chain: its results, or the reason why there is no chain.
func (v *view) chainObject() output.Object {
	c := &v.Chain
	if c.Missing != nil {
		o := output.Object{{Name: "chain", Value: nil}, {Name: "no_chain", Value: v.noChain()}}
		o.Add("no_chain_remedy", output.NonZero(v.unitRemedy()))
		return o
	}
	explained := v.explanation()
	decision := append(explained.Decision(), output.Pairs("chain_and_log_differ", c.Agreement() == study.Differ)...)
	o := &output.Result{Object: output.Pairs("machine", input.MachineObject(c.Draft.System.Machine()), "load", c.Draft.System.Load(),
		"policies", explained.Forecasts().Objects(), "decision", decision, "because", explained.Effects().Objects())}
	if classes := v.classes(); classes.Len > 0 {
		o.Add("classes", classes.Objects())
	}
	if division := v.unitObject(); division != nil {
		o.Add("division", division)
	}
	o.Add("fcfs", v.rigidObject())
	o.Result("certainty", v.certainty())
	return output.Pairs("chain", o.Object)
}
