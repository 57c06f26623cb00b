package input

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/words"
)

// Headline names a model, its machine and its load.
func Headline(file *modelfile.Model) string {
	return MachineHeadline(file) + ", load " + words.Load(file.System.Load())
}

// MachineHeadline returns a title for results: the model, the nodes of its machine and, if it is not 1, their unit.
func MachineHeadline(file *modelfile.Model) string {
	s := file.System
	partitions := ""
	if s.MinNodes > 1 {
		partitions = fmt.Sprintf(" in units of %d", s.MinNodes)
	}
	return fmt.Sprintf("%s: %s%s", file.Title, words.Count(s.Nodes, "node"), partitions)
}

// Heading returns the first fields of every result about a model: its title, time unit and machine, rates per time unit, and
// the load.
func Heading(file *modelfile.Model) output.Object {
	s := file.System
	return output.Pairs("version", output.Version, "title", file.Title, "time_unit", file.TimeUnit.Name,
		"machine", MachineObject(s.Machine()), "arrival_rate", s.Arrivals.Rate(), "arrival_scv", s.Arrivals.SCV(),
		"capacity", s.Capacity(), "load", s.Load())
}

// MachineObject is what results say about the machine of a model.
func MachineObject(m policy.Machine) output.Object {
	return output.Pairs("nodes", m.Nodes, "min_nodes", m.Unit, "partitions", m.Partitions())
}

// Assumed returns what model files leave open, with a flag that sets another value.
func Assumed(all []modelfile.Assumption) []output.Assumption {
	return output.RowsOf(all, func(a modelfile.Assumption) output.Assumption {
		return output.Assumption{Name: a.Name, Value: a.Value, Series: a.Series, Flag: "--set " + a.Other.String()}
	})
}

// AssumedBeside returns what a model file leaves open. Where the command line gives --resize-cost, that flag takes the place of
// the overheads, and of who stops for them.
func AssumedBeside(inv *cli.Invocation, file *modelfile.Model) []output.Assumption {
	return slices.DeleteFunc(Assumed(file.Assumed), func(a output.Assumption) bool {
		ofCosts := []string{modelfile.Overhead, modelfile.Distribution, modelfile.Stops}
		return inv.Given("resize-cost") && slices.Contains(ofCosts, a.Name)
	})
}
