package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/models/workload"
)

// Static splits the machine once into a number of equal partitions; each runs a job at a time from start to end.
//
// Reference: N. Islam, A. Prodromidis, M. S. Squillante, JSSPP 1996, LNCS 1162, section 2.2.
type Static struct {
	named[Static]
	Partitions int
}

// name returns the name of the policy in the table.
func (Static) name() string { return "static" }

// Split returns the number of partitions.
func (s Static) Split() int { return s.Partitions }

// entry returns the line of the table: how the policy is written, what runs it, and who described it.
func (Static) entry() Entry {
	return Entry{
		Name:      "static",
		Parameter: "K",
		Means:     "a number of partitions",
		Example:   "static:4",
		RunsOn:    Chain | WholeNodes,
		Jobs:      workload.Moldable,
		Summary:   "splits the machine once into K equal partitions, a job to each",
		Source:    "Islam, Prodromidis, Squillante 1996",
		New:       counted("a number of partitions", func(k int) Policy { return Static{Partitions: k} }),
	}
}

// String returns "static:" and the number of partitions.
func (s Static) String() string { return "static:" + strconv.Itoa(s.Partitions) }

// Check returns an error unless the number of partitions divides N, the largest number of partitions of the machine.
func (s Static) Check(m Machine) error {
	all := m.Divisors()
	if slices.Contains(all, s.Partitions) {
		return nil
	}
	problem := "the machine cannot be split"
	if len(all) > 1 {
		problem = "the machine can be split into " + strings.Trim(strings.ReplaceAll(fmt.Sprint(all), " ", ", "), "[]") +
			" equal partitions"
	}
	return &ParameterError{Policy: s.String(), Problem: problem, Example: nearestStatic(all, s.Partitions)}
}

// nearestStatic returns static partitioning with the number of divisors that is nearest to k, "" without divisors. Divisors are
// ascending; the larger of two that are equally near is taken.
func nearestStatic(divisors []int, k int) string {
	nearest := 0
	for _, d := range divisors {
		if nearest == 0 || d-k <= k-nearest {
			nearest = d
		}
	}
	if nearest == 0 {
		return ""
	}
	return Static{Partitions: nearest}.String()
}

// Statics returns static partitioning for every number of partitions of a machine, ascending.
func Statics(m Machine) []Policy {
	var all []Policy
	for _, k := range m.Divisors() {
		all = append(all, Static{Partitions: k})
	}
	return all
}
