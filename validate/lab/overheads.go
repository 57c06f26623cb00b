package lab

import (
	"slices"

	"github.com/partwise/partwise/validate/lab/internal/overheads"
)

type (
	// ProtocolChange replaces the cost of one step of a repartition.
	ProtocolChange = overheads.Change
	// ProtocolMachine is an environment on a number of nodes, with the costs of its repartitions.
	ProtocolMachine = overheads.Machine
	// ProtocolRow is a repartition of a shrinking or an expanding phase with its costs.
	ProtocolRow = overheads.Row
	// Environment is a machine on which the steps have certain costs, in seconds.
	Environment = overheads.Environment
)

// ProtocolStepNames returns the names of the steps, in the order of their costs.
func ProtocolStepNames() []string { return slices.Clone(overheads.Names[:]) }

// Environments returns the machines of IPS96: a network of workstations, and an IBM SP2. The costs stand in for measurements.
func Environments() []Environment { return overheads.Environments() }

// ParseProtocolChange reads a change from the name of a step, see [ProtocolStepNames], and its cost in seconds, such as
// connect=0.4. The error says that the text has another form, that the step is unknown, or that the cost is negative or not
// finite.
func ParseProtocolChange(text string) (ProtocolChange, error) { return overheads.ParseChange(text) }

// ProtocolMachines returns a machine for each number of nodes and each environment; the environments vary fastest. unit is the
// number of nodes of the smallest partition. The changes replace the costs of steps in all environments.
//
// The error is a *LimitError of package parallel if the lists take more than memory bytes; 0 stands for its DefaultMemory.
// Otherwise it says which number of nodes or which change is wrong.
func ProtocolMachines(environments []Environment, changes []ProtocolChange, nodes []int, unit int,
	memory float64) ([]*ProtocolMachine, error) {
	return overheads.Machines(environments, changes, nodes, unit, memory)
}
