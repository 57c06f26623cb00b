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

// Change replaces the cost of one step of a repartition.
type Change struct {
	Step string  // one of [Names]
	Cost float64 // seconds
}

// ParseChange reads a change from the name of a step and its cost in seconds, such as connect=0.4. The error says that the text
// has another form, that the step is unknown, or that the cost is negative or not finite.
func ParseChange(text string) (Change, error) {
	name, value, ok := strings.Cut(text, "=")
	cost, err := strconv.ParseFloat(value, 64)
	if !ok || err != nil {
		return Change{}, fmt.Errorf("overheads: %q is not a step and its cost; write a name and seconds, such as connect=0.4", text)
	}
	_, err = new(Steps).With(name, cost)
	return Change{name, cost}, err
}

// Machine is an environment on a number of nodes, with the costs of all repartitions in the shrinking and the expanding phase.
type Machine struct {
	Environment
	Nodes, Unit    int   // nodes of the machine, and of its smallest partition
	Shrink, Expand []Row // see [Steps.Phases]
}

// bytesOfSize is the memory of one size of a partition in the lists of repartitions, in bytes. A list has as many sizes as the
// square of the number of partitions. The JSON of two environments with 4,096 partitions took 4.9 GB.
const bytesOfSize = 160

// Machines returns a machine for each number of nodes and each environment; the environments vary fastest. unit is the number of
// nodes of the smallest partition. The changes replace the costs of steps in all environments, before the costs of repartitions
// are added up.
//
// The error is a *[parallel.LimitError] if the lists take more than memory bytes; 0 stands for [parallel.DefaultMemory].
// Otherwise it says which number of nodes or which change is wrong. The result is nil then.
func Machines(environments []Environment, changes []Change, nodes []int, unit int, memory float64) (all []*Machine, err error) {
	bytes := 0.0
	for _, n := range nodes {
		bytes += bytesOfSize * math.Pow(float64(n)/float64(max(unit, 1)), 2) * float64(len(environments))
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

// Section returns the section dynamic of a model file as YAML text. Its lists shrink and, on a machine of several partitions,
// expand hold the mean overheads in seconds. scv is the squared coefficient of variation of each overhead. The first entry of
// shrink is null, because run times include the launch of an application on an empty machine. The text is empty for a machine
// without repartitions, which [Machines] never returns.
func (m *Machine) Section(scv float64) string {
	if len(m.Shrink) == 0 {
		return ""
	}
	text := fmt.Sprintf("dynamic:   # %s of %s: partwise lab overheads\n  shrink: {means: [%s], scv: %v}\n", m.Title,
		words.Count(m.Nodes, "node"), strings.Join(append([]string{"null"}, seconds(m.Shrink[1:])...), ", "), scv)
	if len(m.Expand) > 0 {
		text += fmt.Sprintf("  expand: {means: [%s], scv: %v}\n", strings.Join(seconds(m.Expand), ", "), scv)
	}
	return text
}

// seconds returns the total time of each repartition as text for a model file, with four digits and the unit, such as 0.4000s.
func seconds(rows []Row) []string {
	return words.Texts(rows, func(r Row) string { return fmt.Sprintf("%#.4gs", r.Total) })
}
