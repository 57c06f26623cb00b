// Package answer puts the answers of package explore into sentences, for the page of the explorer.
package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/explore"
)

// To answers a question in JSON, with sentences; see [explore.To].
func To(ctx context.Context, question []byte) []byte {
	return explore.To(ctx, question, explore.Words{Decision: decision, Cooldown: cooldown, Problem: problem})
}

// decision says what a decision means, and what was omitted.
func decision(of *modelfile.Model, d *decide.Decision, omitted bool) []string {
	all := d.Sentences("", of.System.Load())
	if d.Of(policy.Dynamic{}) == nil {
		all = append(all, "Dynamic partitioning is left out: it has no exact chain for this model.")
	}
	if omitted {
		all = append(all, "Rigid jobs in their order (fcfs) are left out: their chain is too large for a page.")
	}
	return all
}

// stability says whether a policy is stable.
func stability(r *decide.Solved) string {
	if r.Measures.Stable {
		return "stable"
	}
	return "unstable"
}

// cooldown says what a cooldown brings: a result with the cooldown against one without.
func cooldown(cooldown float64, unit string, with, without *decide.Solved) string {
	time := words.Shortest(cooldown) + " " + unit
	if !with.Measures.Stable || !without.Measures.Stable {
		return fmt.Sprintf("With a cooldown of %s dynamic partitioning is %s, without a cooldown it is %s.", time, stability(with),
			stability(without))
	}
	return fmt.Sprintf("With a cooldown of %s %s, compared with none.", time, with.Difference(without))
}

// problem says what is wrong. It names the field of a mistake in a model but no file: the page shows no file.
func problem(err error) string {
	var wrong modelfile.Errors
	if errors.As(err, &wrong) && len(wrong) > 0 {
		first := wrong[0]
		text := first.Path + ": " + first.Problem
		if first.Remedy != "" {
			text += "; " + first.Remedy
		}
		return text
	}
	return fault.PlainWithin(err)
}
