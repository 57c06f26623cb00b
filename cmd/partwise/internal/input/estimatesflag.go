package input

import (
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

// ParseEstimates reads the name of estimates, with its parameter where it takes one.
func ParseEstimates(text string) (Estimates, error) {
	fresh, err := workload.ParseEstimator(text)
	return Estimates{text, fresh}, err
}
