package sweepcmd

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/points"
)

// views are those of the commands whose shards can be merged.
var views = map[string]*points.View{"curve": &curveView, "sweep": &sweepView}

// Merge returns the command that makes one result of shards.
func Merge() cli.Command {
	return cli.WithOptions(func() *mergeOptions { return &mergeOptions{} }, merge, cli.Command{
		Name:      "merge",
		Summary:   "make one result of the shards of a sweep or curve",
		Arguments: "SHARD...",
		Details: "Puts together what `partwise sweep --shard I/N` or `curve --shard I/N` wrote, and writes what the " +
			"command would have written without --shard, to the byte. The shards hold all that is needed. " +
			"Journals of interrupted runs can be merged, too. If points are missing, or failed, the others are " +
			"written to FILE.partial and the exit code is 7.",
		Examples: []string{
			"for i in 1 2 3; do partwise sweep study.yaml --shard $i/3 --output grid.csv; done; partwise merge " +
				"grid.csv.shard-*-of-3 --output grid.csv",
		},
		MaxArgs: journal.MostShards,
		Formats: []string{"csv", "json", "markdown", "table"},
	})
}

// mergeOptions are the flags of merge.
type mergeOptions struct{ points.Drawing }

// Flags binds the flags.
func (o *mergeOptions) Flags() []cli.Flag {
	return o.Drawing.Flags("response times, ratio and repartitioning")
}

func merge(inv *cli.Invocation, o *mergeOptions) error {
	var all []*journal.Contents
	for _, name := range inv.Args {
		if err := points.Fits(inv, name); err != nil {
			return err
		}
		c, err := journal.Read(name)
		var path *fs.PathError
		switch {
		case errors.As(err, &path):
			return err
		case err != nil:
			return wrong(err, "shards are made by partwise sweep --shard I/N --output FILE")
		}
		all = append(all, c)
	}
	whole, err := journal.Merge(all...)
	if err != nil {
		return wrong(err, "merge shards of one sweep; the first is "+inv.Args[0])
	}
	r, err := points.Restored(inv.Table, whole, views)
	if err != nil {
		return wrong(fmt.Errorf("%s: %w", inv.Args[0], err), "")
	}
	if r.Missing > 0 {
		r.Hint = "solve the missing points by --shard I/N --resume"
		if absent := journal.Absent(all...); absent != nil {
			r.Hint = "shards that are not given: " + strings.Join(absent, ", ")
		}
		return r.Incomplete(inv)
	}
	r.Read()
	if err := r.Write(inv, o.Drawing); err != nil {
		return err
	}
	return r.Conclude(inv)
}

// wrong returns the error of a file that is not what it should be.
func wrong(err error, hint string) error {
	return cli.Hint(cli.ExitInput, hint, err)
}
