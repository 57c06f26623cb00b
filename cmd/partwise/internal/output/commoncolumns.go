package output

import (
	"github.com/partwise/partwise/models/policy"
)

// The columns that several commands have. Those of measures are made by [Measure].
var (
	policyColumn     = Col("policy", "").Naming()
	partitionsColumn = Col("partitions", "").Naming()
	// Class is the name of a class of jobs.
	Class = Col("class", "class").Naming()
	// ErrorBound is the bound of the relative errors of a solved policy.
	ErrorBound = Col("error_bound", "")
)

// Policy returns the cells that name a policy: in JSON and CSV one with a number of partitions by its name and that number, any
// other as flags write it; in tables as flags write it.
func Policy(p policy.Policy) Row {
	name, partitions := nameOf(p)
	return Row{policyColumn.Is(name), partitionsColumn.Is(Positive(partitions)), InTable("policy").Is(p.String())}
}

// PolicyAsWritten returns the cells that name a policy in JSON as [Policy] does, and in CSV as flags write it.
func PolicyAsWritten(p policy.Policy) Row {
	name, partitions := nameOf(p)
	return Row{policyColumn.JSON().Is(name), partitionsColumn.JSON().Is(Positive(partitions)), InCSV("policy", p.String())}
}

// PolicyObject returns the fields of JSON that name a policy.
func PolicyObject(p policy.Policy) Object { return Policy(p).Object() }

// nameOf returns the name of a policy with a number of partitions, and that number. Of another policy it returns what flags
// write, and 0.
func nameOf(p policy.Policy) (name string, partitions int) {
	switch p := p.(type) {
	case policy.Static:
		partitions = p.Partitions
	case policy.Capped:
		partitions = p.Jobs
	}
	if partitions > 0 {
		return p.Name(), partitions
	}
	return p.String(), 0
}
