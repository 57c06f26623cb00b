package overheads

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/words"
)

// Change is another cost of a step.
type Change struct {
	Step string
	Cost float64 // in seconds
}

// ParseChange reads the name of a step with its cost in seconds, such as connect=0.4.
func ParseChange(text string) (Change, error) {
	name, value, ok := strings.Cut(text, "=")
	cost, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil {
		return Change{}, fmt.Errorf("overheads: %q is not a step and its cost", text)
	}
	_, err = new(Steps).With(name, cost)
	return Change{name, cost}, err
}

// Machine is an environment with a number of nodes, and the repartitions of both phases of the machine.
type Machine struct {
	Environment
	Nodes, Unit    int
	Shrink, Expand []Row // see [Steps.Phases]
}

// bytesOfSize is the memory of one size of a partition in the lists of repartitions. The JSON of two environments with 4096 partitions took
// 4.9 GB.
const bytesOfSize = 160

// Machines returns each environment on each number of nodes, given in units of unit nodes, with the costs of its repartitions added up. The
// changes replace costs of steps in all environments.
//
// The error is a *[parallel.LimitError] if the lists take more than the given bytes of memory. Otherwise it says which nodes or which
// change is wrong.
func Machines(environments []Environment, changes []Change, nodes []int, unit int, memory float64) (all []*Machine, err error) {
	bytes := 0.0
	for _, n := range nodes {
		bytes += bytesOfSize * math.Pow(float64(n)/float64(unit), 2) * float64(len(environments))
	}
	if err := parallel.Check("the list of repartitions", parallel.Memory, bytes, memory); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		for _, e := range environments {
			m := &Machine{Environment: e, Nodes: n, Unit: unit}
			for _, c := range changes {
				if m.Steps, err = m.Steps.With(c.Step, c.Cost); err != nil {
					return nil, err
				}
			}
			if m.Shrink, m.Expand, err = m.Steps.Phases(n, unit); err != nil {
				return nil, err
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// Rows returns the repartitions of both phases, the shrinking phase first.
func (m *Machine) Rows() []Row { return slices.Concat(m.Shrink, m.Expand) }

// Section returns the section dynamic of a model file, in seconds and with the SCV scv: the lists of overheads shrink and, on a
// machine of several partitions, expand. The first entry of shrink is null: run times include the launch of an application on an
// empty machine.
func (m *Machine) Section(scv float64) string {
	text := fmt.Sprintf("dynamic:   # %s of %s: partwise lab overheads\n  shrink: {means: [%s], scv: %v}\n", m.Title, words.Count(m.Nodes, "node"),
		strings.Join(append([]string{"null"}, seconds(m.Shrink[1:])...), ", "), scv)
	if len(m.Expand) > 0 {
		text += fmt.Sprintf("  expand: {means: [%s], scv: %v}\n", strings.Join(seconds(m.Expand), ", "), scv)
	}
	return text
}

// seconds returns the times of repartitions as a model file writes them, with four digits and their unit.
func seconds(rows []Row) []string {
	return words.Texts(rows, func(r Row) string { return fmt.Sprintf("%#.4gs", r.Total) })
}
