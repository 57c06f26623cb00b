package decide

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/model"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// Solve is the command that compares policies on a model.
func Solve(table policy.Table) cli.Command {
	return cli.Command{
		Name:      "solve",
		Group:     cli.Answering,
		Summary:   "compare dynamic partitioning with every static one on a model",
		Arguments: "FILE",
		Details: "Solves the Markov chains of the model FILE exactly: dynamic equi-partitioning, static partitioning for " +
			"every number of partitions K, the best of these, and the ratio of their mean response times.",
		Examples: []string{
			"partwise solve model.yaml",
			"partwise solve model.yaml --load 0.7 --policy dynamic --policy static:4 --format json",
			"partwise solve model.yaml --set machine.nodes=16 --set machine.min_nodes=4 --load 0.5",
		},
		Flags: append(model.Flags(table, policy.Chain),
			model.MethodFlag(),
			sensitivityFlag(),
			&urfave.BoolFlag{Name: "percentiles", DisableDefaultText: true,
				Usage: "add percentiles of the response time, and of the waiting time under static policies"},
		),
		MinArgs: 1, MaxArgs: 1,
		Formats:      []string{"json", "csv", "markdown", "table"},
		RunsPolicies: policy.Chain,
		Run:          solve,
	}
}

func solve(inv *cli.Invocation) error {
	settings, err := model.Solver(inv)
	if err != nil {
		return err
	}
	file, err := model.Load(inv)
	if err != nil {
		return err
	}
	asked, err := model.Policies(inv, file.System)
	if err != nil {
		return err
	}
	model.Include(asked, file)
	decision, err := decide.Solve(inv.Context, file.System, asked.Run, settings, inv.Workers)
	if err != nil {
		return model.MethodError(settings.Method, err)
	}
	report, err := newResult(inv, file, asked, &decision)
	if err != nil {
		return err
	}
	if inv.Flags.Bool("sensitivity") {
		if err := addSensitivity(inv, file, settings, report); err != nil {
			return err
		}
	}
	if err := inv.Emit(report); err != nil {
		return err
	}
	for _, r := range model.Shown(asked, &decision) {
		for _, w := range model.Warnings(file.TimeUnit.Name, &r) {
			inv.Warnf("%v: %s", r.Policy, w)
		}
	}
	if !model.Stable(asked, &decision) {
		return model.Unstable(file, model.Shown(asked, &decision))
	}
	return Require(file, &decision)
}
