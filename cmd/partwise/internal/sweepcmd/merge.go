package sweepcmd

import (
	_ "embed"
	"errors"
	"io/fs"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/models/sweep"
)

//go:embed merge.txt
var mergeHelp string

// views are those of the commands whose shards can be merged.
var views = map[string]*points.View{"curve": &curveView, "sweep": &sweepView}

// Merge returns the command that makes one result of shards.
func Merge() cli.Command {
	drawing := func() *points.Drawing { return &points.Drawing{Shows: ratios} }
	return cli.WithOptions(drawing, merge, cli.Described(mergeHelp, cli.Command{
		MaxArgs: sweep.MostShards,
		Formats: []string{"csv", "json", "markdown", "table"},
	}))
}

func merge(inv *cli.Invocation, o *points.Drawing) error {
	var all []*sweep.Contents
	for _, name := range inv.Args {
		if err := points.Fits(inv, name); err != nil {
			return err
		}
		c, err := sweep.ReadJournal(name)
		var path *fs.PathError
		switch {
		case errors.As(err, &path):
			return err
		case err != nil:
			return fault.Hint(fault.ExitInput, "shards are made by partwise sweep --shard I/N --output FILE", err)
		}
		all = append(all, c)
	}
	whole, err := sweep.Merge(all...)
	if err != nil {
		return fault.Hint(fault.ExitInput, "merge shards of one sweep; the first is "+inv.Args[0], err)
	}
	r, err := points.Restored(inv.Table, whole, views)
	if err != nil {
		return fault.Failf(fault.ExitInput, "%s: %w", inv.Args[0], err)
	}
	if r.Missing > 0 {
		r.Hint = "solve the missing points by --shard I/N --resume"
		if absent := sweep.AbsentShards(all...); absent != nil {
			r.Hint = "shards that are not given: " + strings.Join(absent, ", ")
		}
		return r.Incomplete(inv)
	}
	r.Read()
	if err := r.Write(inv, *o); err != nil {
		return err
	}
	return r.Conclude(inv)
}
