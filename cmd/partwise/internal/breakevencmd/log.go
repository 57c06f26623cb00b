package breakevencmd

import (
	"cmp"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/cmd/partwise/internal/replayview"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// logFlags are the flags of logs without --from and --to, which give the range of a model here.
func (o *options) logFlags() []cli.Flag {
	return slices.DeleteFunc(o.LogOptions.Flags(), func(f cli.Flag) bool { return cli.Name(f) == "from" || cli.Name(f) == "to" })
}

// checkKind refuses flags of models with a log and the other way round.
func (o *options) checkKind(inv *cli.Invocation) error {
	ofModels := []string{"over", "against", "from", "to", "steps", "set", "plot"}
	ofLogs := slices.Concat(cli.Names(o.logFlags()), cli.Names(o.FactorFlags()), []string{"malleable", "speedup", "stops",
		"min-nodes", "pool", "start-window"})
	return cmp.Or(input.CheckKind(inv, ofModels, ofLogs), o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// ofLog finds the time of a resize up to which resizing pays on a log.
func ofLog(inv *cli.Invocation, o *options) error {
	log, err := o.SelectPools(inv, inv.Args[0], o.pool, &o.Assuming)
	if err != nil {
		return err
	}
	study := &replay.Study{Log: log.Log, Unit: o.Unit, Policies: []policy.Policy{policy.EASYMalleable{}}, Table: inv.Table,
		Shares: o.shares, Assumptions: o.Assumptions, Seed: cli.DefaultSeed}
	if o.load > 0 {
		study.Loads = []float64{o.load}
	}
	var clear func()
	study.Foreseen, clear = inv.Foreseen("replaying jobs")
	all, err := study.Breakevens(inv.Context, inv.Workers)
	clear()
	if err != nil {
		return input.Misfit(err)
	}
	r := &output.Result{Assumed: slices.DeleteFunc(o.Assumed(inv, replay.Setting{Policy: policy.EASYMalleable{}, Mixed: true}),
		func(a output.Assumption) bool { return a.Name == "resize_cost" })}
	title, heading := log.Heading(log.Offer.Jobs, o.Unit, cmp.Or(o.load, log.Load()))
	r.Object = heading
	r.Add("over", "resize_cost")
	r.List(replayview.Breakevens(title, all))
	for _, b := range all {
		r.Notes = append(r.Notes, replayview.Breakeven(b))
	}
	if err := inv.Emit(r); err != nil {
		return err
	}
	log.WarnSkipped()
	return nil
}
