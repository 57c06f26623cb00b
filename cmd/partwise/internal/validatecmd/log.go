package validatecmd

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/logview"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
	"github.com/partwise/partwise/validate/machine"
)

// logDraws is the number of logs that are drawn for each assumption.
const logDraws = 4

// explainLog replays the log with the assumptions of the chain, for dynamic partitioning and the static policies that are
// stable. It returns nil without such policies.
func explainLog(inv *cli.Invocation, file *modelfile.Model, given validate.Simulator, policies []policy.Policy,
	decision *decide.Decision) (*logview.Explanation, error) {
	var compared []policy.Policy
	var predicted []float64
	for _, p := range policies {
		switch p.(type) {
		case policy.Dynamic, policy.Static:
			compared = append(compared, p)
			predicted = append(predicted, decision.Of(p).Measures.MeanResponseTime)
		}
	}
	if len(compared) == 0 {
		return nil, nil
	}
	const steps = 1000
	step, clear := inv.Progress(steps, "replaying logs")
	defer clear()
	c := &validate.LogComparison{System: file.System, Jobs: machine.List(given.Replay), Costs: given.Costs,
		Hour: measure.Second().Convert(3600, file.TimeUnit), Draws: logDraws, Seed: given.Seed, Workers: inv.Workers,
		Progress: func(done, of int) { step(steps * done / of) }}
	r, err := c.Explain(inv.Context, compared, predicted)
	return &logview.Explanation{LogReport: r, Unit: file.TimeUnit.Name}, err
}

// verdict is the error that the log decides otherwise than the model; nil without an explanation.
func verdict(l *logview.Explanation) error {
	if l == nil || l.Agrees() {
		return nil
	}
	return fault.Failf(fault.ExitFailed, "the chain and the log differ: %s", l.Difference())
}

// addExplanation adds the report to a result.
func addExplanation(r *output.Result, l *logview.Explanation) {
	if l == nil {
		return
	}
	r.Add("log", output.Pairs("policies", l.Forecasts(),
		"decision", output.When(l.HasDecision(), l.Decision()), "because", l.Effects()))
	r.Notes = append(r.Notes, l.Sentences()...)
}
