package policy

import (
	"fmt"
	"strings"
)

// Gang is gang scheduling: the processes of a job run at the same time, a row of the Ousterhout matrix in each quantum. A job whose
// nodes a row leaves idle runs in that row, too.
//
// Reference: Y. Zhang, A. Sivasubramaniam, J. Moreira, H. Franke, Impact of workload and system parameters on next
// generation cluster scheduling mechanisms, IEEE Trans. Parallel Distrib. Syst. 12 (2001) 967–985, section 2.2.
type Gang struct{ plain[Gang] }

// name returns the name of the policy in the table.
func (Gang) name() string { return "gs" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Gang) entry() Entry {
	return Entry{
		Name:    "gs",
		Alias:   "gang",
		Example: "gs",
		RunsOn:  TimeShared,
		Summary: "gang scheduling: time-shares, all processes of a job at the same time",
		Source:  zhang01,
		New:     func(string) (Policy, error) { return Gang{}, nil },
	}
}

// Coscheduling lets every node schedule its processes by itself. It says what a process does that waits for a message, and what a
// node does when a message arrives. The zero value is local scheduling, without any coordination.
//
// Reference: Y. Zhang, A. Sivasubramaniam, J. Moreira, H. Franke, IEEE Trans. Parallel Distrib. Syst. 12 (2001)
// 967–985, sections 2.3 and 2.4, table 1.
type Coscheduling struct {
	Wait    Waiting
	Arrival Arrival
	Boost   Heuristic // of PeriodicBoost, and Rule alone of SpinYield
}

// Waiting is what a process does until the message that it receives is there.
type Waiting uint8

// The ways of waiting.
const (
	Spin      Waiting = iota // it looks for the message again and again
	SpinBlock                // it blocks after some time, and is woken by the message
	SpinYield                // it lowers its priority after some time and raises that of another process
)

// Arrival is what a node does when a message has arrived: nothing, if it is the zero value.
type Arrival uint8

// The ways of treating arrivals.
const (
	noBoost        Arrival = iota // nothing
	InterruptBoost                // it raises the priority of the receiver at once, by an interrupt (demand-based)
	PeriodicBoost                 // it looks at all messages every millisecond and raises the priority of one process
)

// Heuristic says whose priority a periodic boost raises. Its Rule orders the states of processes by who is boosted first.
// S3 receives a message that is there, S2 computes or sends and has messages, S1 computes or sends and has none.
//
//	0  A  S3, then S2 and S1
//	1  B  S3, then S2, then S1
//	2  C  S3, S2 and S1
//	3  D  S3 and S2, then S1
//	4  E  S2, then S3, then S1
//
// Reference: Y. Zhang, A. Sivasubramaniam, J. Moreira, H. Franke, IEEE Trans. Parallel Distrib. Syst. 12 (2001)
// 967–985, section 4.9.
type Heuristic struct {
	Rule uint8
	Fair bool // of the candidates take that with the least share of the processor (A' to E'), not the next in turn
}

// coschedulingNames are the names by arrival and waiting.
var coschedulingNames = [3][3]string{{"local", "sb", "sy"}, {"dcs", "dcs-sb", "dcs-sy"}, {"pb", "pb-sb", "pb-sy"}}

// Name returns the name of the combination, "local", "sb", "sy", "dcs", "dcs-sb", "dcs-sy", "pb", "pb-sb" or "pb-sy".
func (c Coscheduling) Name() string {
	if c.Arrival > PeriodicBoost || c.Wait > SpinYield {
		return fmt.Sprintf("coscheduling %d, %d", c.Arrival, c.Wait)
	}
	return coschedulingNames[c.Arrival][c.Wait]
}

// String returns the name, with the letter of the heuristic unless that is A, and a prime if it is fair: "pb:d'".
func (c Coscheduling) String() string {
	text := c.Name()
	if c.Boost != (Heuristic{}) {
		text += ":" + string('a'+rune(c.Boost.Rule))
	}
	if c.Boost.Fair {
		text += "'"
	}
	return text
}

// Check holds that there is such a combination; it does not depend on the machine.
func (c Coscheduling) Check(Machine) error {
	switch {
	case c.Wait > SpinYield || c.Arrival > PeriodicBoost:
		return &ParameterError{Policy: c.Name(), Problem: "there is no such way to wait, or to treat arrivals"}
	case c.Boost.Rule > 4:
		return &ParameterError{Policy: c.Name(), Problem: fmt.Sprintf("there is no heuristic %d", c.Boost.Rule)}
	case c.Boost != (Heuristic{}) && c.Arrival != PeriodicBoost:
		return &ParameterError{Policy: c.String(), Problem: c.Name() + " takes no heuristic"}
	}
	return nil
}

// entry returns the line of the table for the combination of c.
func (c Coscheduling) entry() Entry {
	e := Entry{Name: c.Name(), Example: c.Name(), RunsOn: TimeShared, Source: zhang01, New: boosted(c),
		Summary: "each node time-shares by itself: " + waitingSummaries[c.Wait] + arrivalSummaries[c.Arrival]}
	if c == (Coscheduling{}) {
		e.Summary = "each node time-shares by itself: processes spin for messages"
	}
	if c.Arrival == PeriodicBoost {
		e.Parameter, e.Optional, e.Means, e.Example = "HEURISTIC", true, "whom to boost, a to e or a' to e'", c.Name()+":d'"
	}
	return e
}

// zhang01 is the source of the policies that share nodes in time.
const zhang01 = "Zhang, Sivasubramaniam, Moreira, Franke 2001"

// waitingSummaries and arrivalSummaries say what processes and nodes do, by [Waiting] and [Arrival].
var (
	waitingSummaries = [...]string{"spin", "spin, then block", "spin, then yield"}
	arrivalSummaries = [...]string{"", "; interrupts boost receivers (demand-based)", "; one is boosted at each tick"}
)

// boosted makes New of a combination, which has a parameter if it has periodic boosts: a heuristic such as "d'", or none for A.
func boosted(c Coscheduling) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		c := c
		rule, fair := strings.CutSuffix(strings.ToLower(parameter), "'")
		switch {
		case parameter == "":
		case len(rule) != 1 || rule[0] < 'a' || rule[0] > 'e':
			return nil, fmt.Errorf("%q is not one of the heuristics a to e and a' to e'", parameter)
		default:
			c.Boost = Heuristic{rule[0] - 'a', fair}
		}
		return c, nil
	}
}
