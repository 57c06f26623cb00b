package lab

import (
	"slices"

	"github.com/partwise/partwise/validate/lab/internal/overheads"
)

type (
	// ProtocolSteps are the costs of the steps of a repartition; its method Phases adds them up.
	ProtocolSteps = overheads.Steps
	// ProtocolRow is a repartition of a shrinking or an expanding phase with its costs.
	ProtocolRow = overheads.Row
	// Environment is a machine on which the steps have certain costs, in seconds.
	Environment = overheads.Environment
)

// ProtocolStepNames returns the names of the steps, in the order of their costs.
func ProtocolStepNames() []string { return slices.Clone(overheads.Names[:]) }

// Environments returns the machines of IPS96: a network of workstations, and an IBM SP2. The costs stand in for measurements.
func Environments() []Environment { return overheads.Environments() }
