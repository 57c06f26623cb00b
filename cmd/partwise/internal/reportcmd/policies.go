package reportcmd

import (
	_ "embed"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
)

//go:embed policies.txt
var policiesHelp string

// Policies returns the command that lists the table of policies.
func Policies() cli.Command {
	return cli.Described(policiesHelp, cli.Command{
		Formats: []string{"json", "csv", "markdown", "table"},
		Run:     func(inv *cli.Invocation) error { return inv.Emit(listed(inv.Table)) },
	})
}

// listed returns a table of policies.
func listed(table policy.Table) *output.Result {
	type row struct {
		Name    string   `key:"name"`
		Syntax  string   `key:"syntax" head:"policy"`
		RunsOn  string   `key:"runs_on" head:"runs on" form:"csv"`
		Runners []string `key:"runs_on" form:"json"`
		Jobs    string   `key:"jobs" head:"jobs"`
		Summary string   `key:"summary" head:"summary"`
		Source  string   `head:"source" form:"extra"`
	}
	rows := output.RowsOf(table, func(e policy.Entry) row {
		return row{e.Name, e.Syntax(), e.RunsOn.String(), e.RunsOn.Names(), e.Jobs.String(), e.Summary, e.Source}
	})
	r := &output.Result{Object: output.Pairs("version", output.Version)}
	r.List(output.ListOf("policies", "", output.Wide, rows, ""))
	return r
}
