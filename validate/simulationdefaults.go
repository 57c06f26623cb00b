package validate

import (
	"cmp"
	"fmt"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
)

// Defaults returns the values that zero fields of Options stand for, where zero does not mean zero. The default of the
// confidence level is [measure.Confidence], which all commands share.
func Defaults() Options {
	return Options{
		Fidelity: ModelFidelity, Precision: 0.01, Confidence: measure.Confidence, Replications: 32, MaxJobs: 2_000_000_000,
		Memory: parallel.DefaultMemory, Table: policy.Standard(),
	}
}

// withDefaults returns the options with defaults in place of zeros. The error says which option has a wrong value.
func (o Options) withDefaults() (Options, error) {
	d := Defaults()
	o.Fidelity = cmp.Or(o.Fidelity, d.Fidelity)
	o.Precision = cmp.Or(o.Precision, d.Precision)
	o.Confidence = cmp.Or(o.Confidence, d.Confidence)
	o.Replications = cmp.Or(o.Replications, d.Replications)
	o.MaxJobs = cmp.Or(o.MaxJobs, d.MaxJobs)
	o.Memory = cmp.Or(o.Memory, d.Memory)
	if o.Table == nil {
		o.Table = d.Table
	}
	switch {
	case o.Fidelity != ModelFidelity && o.Fidelity != MachineFidelity && o.Fidelity != DividedFidelity:
		return o, fmt.Errorf("validate: unknown fidelity %q; use %s, %s or %s", o.Fidelity, ModelFidelity, MachineFidelity,
			DividedFidelity)
	case o.Sample != nil && o.Fidelity != MachineFidelity:
		return o, fmt.Errorf("validate: demands that are not phase-type need %s fidelity", MachineFidelity)
	case (o.Costs != nil || !o.Points.Everywhere()) && o.Fidelity != MachineFidelity:
		return o, fmt.Errorf("validate: costs and scheduling points of single jobs need %s fidelity", MachineFidelity)
	case !(o.Memory > 0):
		return o, fmt.Errorf("validate: jobs cannot take %v bytes of memory", o.Memory)
	case !(o.Precision > 0):
		return o, fmt.Errorf("validate: precision %v must be positive", o.Precision)
	case !(o.Confidence > 0 && o.Confidence < 1):
		return o, fmt.Errorf("validate: confidence %v must lie between 0 and 1", o.Confidence)
	case o.Replications < 0 || o.Workers < 0 || o.MaxJobs < 0 || o.MinJobs < 0:
		return o, fmt.Errorf("validate: replications, workers and jobs must not be negative")
	}
	return o, nil
}
