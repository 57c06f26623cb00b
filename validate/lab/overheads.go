package lab

import (
	"slices"

	"github.com/partwise/partwise/validate/lab/internal/overheads"
)

type (
	// ProtocolChange is another cost of a step of a repartition.
	ProtocolChange = overheads.Change
	// ProtocolMachine is an environment with a number of nodes, and its repartitions.
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

// ParseProtocolChange reads the name of a step with its cost in seconds, such as connect=0.4.
func ParseProtocolChange(text string) (ProtocolChange, error) { return overheads.ParseChange(text) }

// ProtocolMachines returns each environment on each number of nodes, given in units of unit nodes, with the costs of its repartitions. The
// changes replace costs of steps. The error says which nodes are wrong, or that the lists take more than the given bytes of memory.
func ProtocolMachines(environments []Environment, changes []ProtocolChange, nodes []int, unit int, memory float64) ([]*ProtocolMachine, error) {
	return overheads.Machines(environments, changes, nodes, unit, memory)
}
