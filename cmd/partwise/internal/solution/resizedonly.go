package solution

import (
	"context"
	"errors"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
)

// IfResized begins what holds if only the resized jobs stop, for a model that does not say who stops.
const IfResized = "If only the resized jobs stop (--set dynamic.stops=resized), "

// NotExamined says that a chain does not exist, or was too large to be solved beside another.
const NotExamined = "Whether that holds if only the resized jobs stop was not examined: no chain of it is small enough. " +
	"Simulate it with --fidelity machine."

// Reading returns the decision if only the resized jobs stop, as an object and in words. It returns nothing if that is the same
// decision, or if the model says who stops.
func Reading(ctx context.Context, file *modelfile.Model, d *decide.Decision, set markov.Settings) (output.Object, string, error) {
	if !file.Assumes(modelfile.Stops) || !d.Compare().BothStable {
		return nil, "", nil
	}
	other, err := d.Resized(ctx, file.System, set)
	switch {
	case errors.Is(err, markov.ErrTooLarge):
		return nil, NotExamined, nil
	case err != nil || !d.Differs(&other):
		return nil, "", err
	}
	c := other.Compare()
	object := output.Pairs("mean_response_time", c.Dynamic.Measures.MeanResponseTime, "ratio", other.Ratio)
	return object, words.Sentence(IfResized, c.Clause(file.TimeUnit.Name)), nil
}

// AddReading adds to a result what the decision is if only the resized jobs stop.
func AddReading(inv *cli.Invocation, file *modelfile.Model, d *decide.Decision, set markov.Settings, r *output.Result) error {
	object, text, err := Reading(inv.Context, file, d, set)
	if err != nil || text == "" {
		return err
	}
	if object != nil {
		r.Add("resized_jobs_stop", object)
	}
	r.Notes = append(r.Notes, text)
	return nil
}
