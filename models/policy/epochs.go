package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/workload"
)

// Epochs shares the machine in space and in time among jobs that need a least number of nodes each, for their memory:
// in every quantum each job runs once, on nodes of its own. When a job arrives or departs, a schedule of a quantum is
// made by the rule.
//
// Reference: C. McCann, J. Zahorjan, Scheduling memory constrained jobs on distributed memory parallel computers,
// Technical Report 94-10-05, University of Washington, 1994.
type Epochs struct {
	Rule    EpochRule
	Spread  int     // k: by how many nodes jobs of an epoch may differ; 0 for rules that take none
	Quantum float64 // T, in the time unit of the machine; 0: [DefaultQuantum]
}

// EpochRule is a rule that makes schedules of a quantum.
type EpochRule string

// The rules.
const (
	Buddy          EpochRule = "buddy"     // powers of two of nodes; BUDDY, and BUDDY* where the jobs are no power of two
	Hybrid         EpochRule = "hybrid"    // BUDDY for the smallest jobs, HEURISTIC-EPOCH(k) for the rest
	EquiEpoch      EpochRule = "equi"      // epochs of equal shares
	OptEpoch       EpochRule = "opt"       // the fewest epochs
	HeuristicEpoch EpochRule = "heuristic" // few epochs
)

// DefaultQuantum is the length of a quantum that is not given, ten minutes where the time unit is the second.
const DefaultQuantum = 600

// TakesSpread reports whether a rule takes k.
func (r EpochRule) TakesSpread() bool { return r == Hybrid || r == OptEpoch || r == HeuristicEpoch }

// Name returns the rule.
func (e Epochs) Name() string { return string(e.Rule) }

// String returns the rule with k, if it takes one, and the quantum, if it is given: "heuristic:2,600".
func (e Epochs) String() string {
	var parameters []string
	if e.Rule.TakesSpread() {
		parameters = append(parameters, strconv.Itoa(e.Spread))
	}
	if e.Quantum > 0 {
		parameters = append(parameters, fmt.Sprint(e.Quantum))
	}
	if parameters == nil {
		return e.Name()
	}
	return e.Name() + ":" + strings.Join(parameters, ",")
}

// Check returns an error if the rule is unknown or the quantum is not a time. Some rules also need a machine whose number of
// partitions is a power of two.
func (e Epochs) Check(m Machine) error {
	n := m.Partitions()
	switch e.Rule {
	case Buddy, Hybrid:
		if n == 0 || n&(n-1) != 0 {
			return &ParameterError{Policy: e.String(), Problem: fmt.Sprintf("needs a machine of a power of two of partitions, not %d", n)}
		}
	case EquiEpoch, OptEpoch, HeuristicEpoch:
		if n == 0 {
			return &ParameterError{Policy: e.String(), Problem: "the machine has no partitions"}
		}
	default:
		return &ParameterError{Policy: e.String(), Problem: fmt.Sprintf("there is no rule %q for epochs", string(e.Rule))}
	}
	return e.check()
}

// check returns an error if the spread or the quantum is out of range, whatever the machine.
func (e Epochs) check() error {
	switch {
	case e.Spread < 0 || e.Spread > mostSpread || e.Spread > 0 && !e.Rule.TakesSpread():
		return notA(e.Name(), e.Spread, "a number of nodes by which jobs may differ")
	case !(e.Quantum >= 0) || math.IsInf(e.Quantum, 1):
		return notA(e.Name(), e.Quantum, "the length of a quantum")
	}
	return nil
}

// mostSpread bounds k.
const mostSpread = 1 << 30

const spreadMeans = "the number of nodes by which jobs of an epoch may differ, and perhaps the length of a quantum"

// entry returns the line of the table for the rule of e.
func (e Epochs) entry() Entry {
	line := Entry{Name: e.Name(), Parameter: "QUANTUM", Optional: true, Means: "the length of a quantum", Example: e.Name() + ":60",
		RunsOn: WholeNodes, Jobs: workload.Malleable, Mixed: true, Source: "McCann, Zahorjan 1994, TR 94-10-05",
		Summary: "time-shares" + ruleSummaries[e.Rule], New: epochs(e.Rule)}
	if e.Rule.TakesSpread() {
		line.Parameter, line.Optional, line.Means = "K[,QUANTUM]", false, spreadMeans
		line.Example = Epochs{Rule: e.Rule, Spread: max(1, e.Spread), Quantum: 60}.String()
	}
	if e.Rule == Buddy {
		line.Alias = "buddy*"
	}
	return line
}

// ruleSummaries say of each rule how it shares the machine in time.
var ruleSummaries = map[EpochRule]string{
	Buddy:          ": jobs get powers of two of nodes and equal shares of a quantum",
	Hybrid:         ": buddy for the smallest jobs, heuristic:K for the rest",
	EquiEpoch:      " in epochs, whose jobs get equally many nodes",
	OptEpoch:       " in the fewest epochs in which jobs differ by at most K nodes",
	HeuristicEpoch: " in few epochs in which jobs differ by at most K nodes",
}

// epochs returns the function New of an entry, which reads the parameter [K,][QUANTUM] of a rule of epochs.
func epochs(rule EpochRule) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		e := Epochs{Rule: rule}
		var err error
		quantum, timed := parameter, parameter != ""
		if rule.TakesSpread() {
			var spread string
			spread, quantum, timed = strings.Cut(parameter, ",")
			var isWhole bool
			if e.Spread, isWhole = measure.ParseCount(spread, math.MinInt); !isWhole {
				return nil, fmt.Errorf("%q is not %s", parameter, spreadMeans)
			}
		}
		if timed {
			if e.Quantum, err = strconv.ParseFloat(quantum, 64); err != nil || e.Quantum == 0 {
				return nil, fmt.Errorf("%q is not the length of a quantum", parameter)
			}
		}
		return e, e.check()
	}
}
