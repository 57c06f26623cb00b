package policy

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/partwise/partwise/models/workload"
)

// Molding chooses how many nodes a job keeps from its start to its end. Size says by which rule; Share is the least
// share of that number with which a job starts: 0 is greedy, for a job takes whatever is free, and 1 is stubborn, for
// it waits until it gets all.
//
// Reference: A. B. Downey, A parallel workload model and its implications for processor allocation, Report
// UCB/CSD-96-922, University of California, Berkeley, 1996, sections 5 and 6.
type Molding struct {
	Size  Size
	Share float64
}

// Size is a rule for the number of nodes of a job with average parallelism A.
type Size string

// The rules.
const (
	AVG           Size = "avg"            // A nodes
	PWS           Size = "pws"            // the processor working set, which maximises speedup times efficiency
	MAX           Size = "max"            // the fewest nodes on which the job runs as fast as it can
	SEV           Size = "sev"            // Sevcik's rule: A at load 0, fewer the heavier the load
	ASP           Size = "asp"            // the free nodes divided among the waiting jobs (adaptive static partitioning)
	ThreeHalves   Size = "3/2avg"         // 3/2 of A
	SimplifiedSEV Size = "simplified-sev" // Sevcik's rule with sigma 1 for all jobs
)

// Name returns the rule.
func (m Molding) Name() string { return string(m.Size) }

// String returns the rule, with ":stubborn" or the share unless that is 0.
func (m Molding) String() string {
	switch m.Share {
	case 0:
		return string(m.Size)
	case 1:
		return string(m.Size) + ":stubborn"
	}
	return fmt.Sprint(m.Size, ":", m.Share)
}

// entry returns the line of the table for the rule of m.
func (m Molding) entry() Entry {
	e := Entry{Name: m.Name(), Example: m.Name(), RunsOn: WholeNodes, Jobs: workload.Moldable, Source: "Downey 1996",
		Summary: sizeSummaries[m.Size], New: molding(m.Size)}
	if m.Size != ASP { // its sizes depend on what is free, so that a share of them says nothing
		e.Parameter, e.Optional, e.Example = "C", true, m.Name()+":0.4"
		e.Means = "stubborn, or the share C of its nodes without which a job does not start"
	}
	return e
}

// sizeSummaries are the summaries of the rules.
var sizeSummaries = map[Size]string{
	AVG:           "gives a job A nodes",
	PWS:           "gives a job its processor working set",
	MAX:           "gives a job the fewest nodes on which it runs as fast as it can",
	SEV:           "gives a job A nodes, fewer under load (Sevcik), A being its average parallelism",
	ASP:           "divides the free nodes among the waiting jobs (adaptive static partitioning)",
	ThreeHalves:   "gives a job 3/2 of A nodes",
	SimplifiedSEV: "gives a job A nodes, fewer under load, with sigma 1 for all jobs",
}

// sizes are the rules; of ASP, whose sizes depend on what is free, there is no share.
var sizes = []Size{AVG, PWS, MAX, SEV, ASP, ThreeHalves, SimplifiedSEV}

// Check holds that there is such a rule and such a share; neither depends on the machine.
func (m Molding) Check(Machine) error {
	switch {
	case !slices.Contains(sizes, m.Size):
		return &ParameterError{Policy: m.String(), Problem: fmt.Sprintf("there is no rule %q for the size of a job", string(m.Size))}
	case m.Size == ASP && m.Share != 0:
		return &ParameterError{Policy: m.String(), Problem: "asp takes no share"}
	case !(m.Share >= 0 && m.Share <= 1):
		return &ParameterError{Policy: m.String(), Problem: fmt.Sprintf("%v is not a share between 0 and 1", m.Share)}
	}
	return nil
}

// molding returns the function New of an entry, which reads the parameter of a rule for sizes: a share, or the word
// stubborn.
func molding(size Size) func(string) (Policy, error) {
	return func(parameter string) (Policy, error) {
		m := Molding{Size: size}
		var err error
		switch parameter {
		case "":
		case "stubborn":
			m.Share = 1
		default:
			m.Share, err = strconv.ParseFloat(parameter, 64)
		}
		if err != nil || m.Check(Machine{}) != nil {
			return nil, fmt.Errorf("%q is neither stubborn nor a share between 0 and 1", parameter)
		}
		return m, nil
	}
}

// Fraction lets every job wait for the fraction K of its average parallelism.
//
// Reference: A. B. Downey, Report UCB/CSD-96-922, section 6.
type Fraction struct {
	named[Fraction]
	K float64
}

// name returns the name of the policy in the table.
func (Fraction) name() string { return "k" }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Fraction) entry() Entry {
	return Entry{
		Name:      "k",
		Parameter: "K",
		Means:     "the fraction of its average parallelism that a job waits for",
		Example:   "k:0.7",
		RunsOn:    WholeNodes,
		Jobs:      workload.Moldable,
		Summary:   "makes a job wait for the fraction K of its average parallelism",
		Source:    "Downey 1996",
		New:       measured("a positive fraction of the average parallelism", func(k float64) Policy { return Fraction{K: k} }),
	}
}

// String returns "k:" and the fraction.
func (f Fraction) String() string { return fmt.Sprint("k:", f.K) }

// Check holds that the fraction is positive and finite; it does not depend on the machine.
func (f Fraction) Check(Machine) error {
	if !(f.K > 0) || math.IsInf(f.K, 1) {
		return notA("k", f.K, "a positive fraction of the average parallelism")
	}
	return nil
}
