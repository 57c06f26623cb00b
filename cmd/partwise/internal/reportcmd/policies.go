package reportcmd

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
)

// Policies returns the command that lists the table of policies.
func Policies() cli.Command {
	return cli.Command{
		Name:    "policies",
		Summary: "list the policies, and what runs them",
		Details: "Lists every policy with its parameter, what runs it, the kind of jobs that it is for, and what it " +
			"does.",
		Examples: []string{"partwise policies"},
		Formats:  []string{"json", "csv", "markdown", "table"},
		Run:      func(inv *cli.Invocation) error { return inv.Emit(listed(inv.Table)) },
	}
}

// listed returns a table of policies.
func listed(table policy.Table) *output.Result {
	column := func(key, name string, of func(e *policy.Entry) any) output.Column {
		return output.Column{Key: key, Name: name, Value: func(i int) any { return of(&table[i]) }}
	}
	runners := func(e *policy.Entry) any { return e.RunsOn.String() }
	l := &output.List{Name: "policies", Len: len(table), Columns: []output.Column{
		column("name", "", func(e *policy.Entry) any { return e.Name }),
		column("syntax", "policy", func(e *policy.Entry) any { return e.Syntax() }),
		column("runs_on", "runs on", runners),
		column("runs_on", "", func(e *policy.Entry) any { return e.RunsOn.Names() }),
		column("jobs", "jobs", func(e *policy.Entry) any { return e.Jobs.String() }),
		column("summary", "summary", func(e *policy.Entry) any { return e.Summary }),
		column("", "source", func(e *policy.Entry) any { return e.Source }),
	}}
	l.Columns[2].OnlyCSV, l.Columns[3].OnlyJSON, l.Columns[6].Extra = true, true, true
	r := &output.Result{Object: output.Object{{Name: "version", Value: output.Version}}}
	r.List(l)
	return r
}
