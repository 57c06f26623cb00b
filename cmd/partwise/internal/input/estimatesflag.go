package input

import (
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/models/workload"
)

// Estimates are the estimates of run times that --estimates names.
type Estimates struct {
	Name string
	New  func() workload.Estimator
}

// Logged are the estimates of the log.
func Logged() Estimates {
	return Estimates{(workload.Logged{}).Name(), func() workload.Estimator { return workload.Logged{} }}
}

// EstimatesFlag binds --estimates. usage is the first part of the help text, which says what the command does with the estimates.
// The list of the estimates follows it.
func EstimatesFlag(to *Estimates, usage, hint string) cli.Flag {
	return cli.Value(to, "estimates", ParseEstimates, cli.About{Default: to.Name, Hint: hint,
		Usage: usage + strings.Join(workload.EstimatorForms(), ", ")})
}

// ParseEstimates reads the name of estimates, with its parameter where it takes one.
func ParseEstimates(text string) (Estimates, error) {
	fresh, err := workload.ParseEstimator(text)
	return Estimates{text, fresh}, err
}
