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
	r := &output.Result{Object: output.Pairs("version", output.Version)}
	r.List(output.NewList("policies", "", output.Wide, table, func(e *policy.Entry) output.Row {
		return output.Row{output.Data("name", e.Name), output.Col("syntax", "policy").Is(e.Syntax()),
			output.Col("runs_on", "runs on").CSV().Is(e.RunsOn.String()), output.InJSON("runs_on", e.RunsOn.Names()),
			output.Col("jobs", "jobs").Is(e.Jobs.String()),
			output.Col("summary", "summary").Is(e.Summary), output.InTable("source").Aside().Is(e.Source)}
	}))
	return r
}
