package simulation

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/progress"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

// manyJobs is how many jobs take so long to simulate, ten seconds or more, that it is said beforehand.
const manyJobs = 30_000_000

// foretell says how many jobs a simulation will take, if they are many. The error is that of a policy that is not stable.
func foretell(inv *cli.Invocation, file *modelfile.Model, p policy.Policy, o validate.Options) error {
	jobs, err := validate.Effort(file.System, p, o)
	if errors.As(err, new(*models.UnstableError)) {
		return &cli.Error{Code: cli.ExitUnstable, Err: err}
	}
	if err != nil || jobs < manyJobs {
		return nil // other errors are those of the simulation
	}
	words := fmt.Sprintf("%v: at load %s a precision of %s takes about %s jobs", p, output.Round(file.System.Load(), 4),
		output.Percent(o.Precision), millions(jobs))
	if most := o.MaxJobs; most > 0 && jobs > most {
		words += fmt.Sprintf(", more than the %s of --max-jobs", millions(most))
	}
	if twice := 2 * o.Precision; twice < 1 {
		words += fmt.Sprintf("; --precision %s takes a quarter", strings.ReplaceAll(output.Percent(twice), " ", ""))
	}
	inv.Notef("%s", words)
	return nil
}

// stateOf is how far a simulation has come: jobs of those that the precision will take.
func stateOf(s validate.Progress, passed time.Duration) progress.State {
	var words []string
	if s.Precision > 0 && s.Target > 0 {
		words = append(words, fmt.Sprintf("±%s of %s", strings.TrimSuffix(output.Percent(s.Precision), " %"),
			output.Percent(s.Target)))
	}
	jobs := fmt.Sprintf("%s of %s jobs", millions(s.Jobs), millions(s.Expected))
	if s.Replications > 1 {
		jobs += fmt.Sprintf(" in %d runs", s.Replications)
	}
	rate := int64(float64(s.Jobs) / max(passed.Seconds(), 1e-3))
	words = append(words, jobs, millions(rate)+"/s")
	return progress.Of(float64(s.Jobs)/float64(max(s.Expected, s.Jobs, 1)), passed, strings.Join(words, ", "))
}

// millions writes a number of jobs with three digits.
func millions(n int64) string {
	switch {
	case n >= 1_000_000:
		return output.Round(float64(n)/1e6, 3) + "M"
	case n >= 10_000:
		return output.Round(float64(n)/1e3, 3) + "k"
	}
	return fmt.Sprint(n)
}
