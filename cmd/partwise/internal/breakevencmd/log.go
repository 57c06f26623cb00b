package breakevencmd

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/input"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/replay"
)

// logFlags are the flags of logs but for --from and --to, which are those of the range of a model here.
func (o *options) logFlags() []cli.Flag {
	return slices.DeleteFunc(o.LogOptions.Flags(), func(f cli.Flag) bool { return cli.Name(f) == "from" || cli.Name(f) == "to" })
}

// checkKind refuses flags of models with a log and the other way round.
func (o *options) checkKind(inv *cli.Invocation) error {
	ofModels := []string{"over", "from", "to", "steps", "set", "plot"}
	ofLogs := slices.Concat(cli.Names(o.logFlags()), cli.Names(o.FactorFlags()), []string{"malleable", "speedup", "stops",
		"min-nodes"})
	return cmp.Or(input.CheckKind(inv, ofModels, ofLogs), o.LogOptions.Check(inv), o.Assuming.Check(inv))
}

// ofLog finds the time of a resize up to which resizing pays on a log.
func ofLog(inv *cli.Invocation, o *options) error {
	log, err := o.Select(inv, inv.Args[0])
	if err != nil {
		return err
	}
	study := &replay.Study{Log: log.Log, Unit: o.Unit, Policies: []policy.Policy{policy.EASYMalleable{}}, Table: inv.Table,
		Shares: o.shares, Assumptions: o.Assumptions, Seed: 1}
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
	r.List(costs(title, all))
	for _, b := range all {
		r.Notes = append(r.Notes, Answer(b))
	}
	if err := inv.Emit(r); err != nil {
		return err
	}
	log.WarnSkipped()
	return nil
}

// costs returns the break-even costs by share of malleable jobs.
func costs(title string, all []replay.Breakeven) *output.List {
	type row struct {
		Policy string  `key:"policy" form:"json"`
		Share  float64 `key:"malleable_share" head:"malleable jobs"`
		Cost   float64 `key:"resize_cost" head:"break-even [s]" form:"none=none"`
		Low    float64 `key:"low" head:"from" form:"none=–"`
		High   float64 `key:"high" head:"to" form:"none=–"`
	}
	l := output.ListOf("results", title, output.Wide, output.RowsOf(all, func(b replay.Breakeven) row {
		return row{b.Policy.String(), b.Share, b.ResizeCost.Mean, b.ResizeCost.Low, b.ResizeCost.High}
	}), "")
	for i := range l.Columns[1:] {
		text := seconds
		if i == 0 {
			text = output.Tenths
		}
		l.Columns[1+i].Text = func(v any) string { return text(v.(float64)) }
	}
	return l
}

// seconds writes a time to whole seconds: the search ends at one in a hundred.
func seconds(v float64) string {
	if v < 1000 {
		return output.Fixed(v, 0)
	}
	return output.Thousands(math.Round(v))
}

// Answer says up to which time of a resize resizing pays.
func Answer(b replay.Breakeven) string {
	e := b.ResizeCost
	words := "With " + output.Tenths(b.Share) + " of the jobs malleable, "
	switch {
	case e.Mean == 0:
		words += "resizing does not pay, not even if it is free"
	case math.IsInf(e.Mean, 1):
		words += "resizing pays at all times of a resize that were tried, up to 11 days" // [replay.Breakeven]
	default:
		words += "resizing pays while a resize takes less than " + seconds(e.Mean) + " s"
	}
	switch {
	case math.IsNaN(e.Low):
		words += " (no interval: too few jobs)"
	case e.Mean > 0 && output.Finite(e.HalfWidth):
		words += fmt.Sprintf(" (90 %% interval %s to %s s)", seconds(e.Low), seconds(e.High))
	}
	return words + "."
}
