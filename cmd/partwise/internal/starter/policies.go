package starter

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
)

// Policies is the command that lists the table of policies.
func Policies() cli.Command {
	return cli.Command{
		Name:    "policies",
		Group:   cli.Aiding,
		Summary: "list the policies, and what runs them",
		Details: "Lists every policy with its parameter, what it can be run on (the exact chain, or the simulated machine of " +
			"whole nodes), the kind of jobs that it makes use of, and a line of documentation.",
		Examples: []string{"partwise policies"},
		Formats:  []string{"json", "csv", "markdown", "table"},
		Run:      func(inv *cli.Invocation) error { return inv.Emit(listed(inv.Table)) },
	}
}

// listed lays out a table of policies.
func listed(table policy.Table) *cli.Result {
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}}}
	r.CSV = [][]string{{"name", "syntax", "runs_on", "jobs", "summary"}}
	t := output.Table{Columns: []output.Column{{Name: "policy"}, {Name: "runs on"}, {Name: "jobs"}, {Name: "summary"},
		{Name: "source", Extra: true}}}
	rows := []output.Object{}
	for i := range table {
		e := &table[i]
		rows = append(rows, output.Object{{Name: "name", Value: e.Name}, {Name: "syntax", Value: e.Syntax()},
			{Name: "runs_on", Value: e.RunsOn.Names()}, {Name: "jobs", Value: e.Jobs.String()},
			{Name: "summary", Value: e.Summary}})
		r.CSV = append(r.CSV, []string{e.Name, e.Syntax(), e.RunsOn.String(), e.Jobs.String(), e.Summary})
		t.Rows = append(t.Rows, []string{e.Syntax(), e.RunsOn.String(), e.Jobs.String(), e.Summary, e.Source})
	}
	r.JSON.Add("policies", rows)
	r.Tables = []output.Table{t}
	return r
}
