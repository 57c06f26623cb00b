package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
)

// mostShards bounds the files that can be merged.
const mostShards = 100_000

func mergeCommand() command {
	return command{
		name:      "merge",
		group:     answering,
		summary:   "make one result of the shards of a sweep or curve",
		arguments: "SHARD...",
		details: "Puts together what `partwise sweep --shard I/N` or `curve --shard I/N` wrote, and writes what the command " +
			"would have written without --shard, to the byte. The shards say all that takes: neither study nor models are " +
			"read. Journals of runs that did not come to their end can be merged, too. If points are missing, or failed, the " +
			"others are written to FILE.partial and the exit code is 7.",
		examples: []string{
			"for i in 1 2 3; do partwise sweep study.yaml --shard $i/3 --output grid.csv; done; partwise merge " +
				"grid.csv.shard-*-of-3 --output grid.csv",
		},
		flags:   drawingFlags("response times, ratio and repartitioning"),
		minArgs: 1, maxArgs: mostShards,
		formats: []string{"csv", "json", "markdown", "table"},
		run:     merge,
	}
}

func merge(inv *invocation) error {
	drawn, err := inv.drawing()
	if err != nil {
		return err
	}
	var all []*journal.Contents
	for _, name := range inv.args {
		c, err := journal.Read(name)
		if err != nil {
			return unreadable(err)
		}
		all = append(all, c)
	}
	whole, err := journal.Merge(all...)
	var changed *journal.ChangedError
	switch {
	case errors.As(err, &changed):
		return &exitError{code: exitInput, err: err, hint: "merge shards of one sweep; the first is " + inv.args[0]}
	case err != nil:
		return err
	}
	f, err := found(whole)
	if err != nil {
		return &exitError{code: exitInput, err: fmt.Errorf("%s: %w", inv.args[0], err)}
	}
	if f.missing == 0 {
		if err := f.write(inv, drawn); err != nil {
			return err
		}
		return f.verdict(inv)
	}
	return absent(f.incomplete(inv), all)
}

// unreadable is the error of a file that is not what it should be, or not there.
func unreadable(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return err
	}
	return &exitError{code: exitInput, err: err, hint: "shards are made by partwise sweep --shard I/N --output FILE"}
}

// found returns what the records of a sweep say.
func found(c *journal.Contents) (*findings, error) {
	var what kept
	if err := json.Unmarshal(c.Plan.Layout, &what); err != nil {
		return nil, err
	}
	if views[what.Command] == nil {
		return nil, fmt.Errorf("holds the points of %q, which this program does not know", what.Command)
	}
	points := 0
	for _, l := range what.Studies {
		if !l.valid() || l.Loads > c.Plan.Points {
			return nil, errors.New("holds points that are laid out in no way that this program knows")
		}
		points += len(l.Series) * l.Loads
	}
	if len(what.Studies) == 0 || points != c.Plan.Points {
		return nil, fmt.Errorf("is of %d points, its studies have %d", c.Plan.Points, points)
	}
	f := newFindings(what.Command, what.Studies, c.Plan.Shard)
	return f, f.take(c.Records, false)
}

// absent adds to an error which shards are missing.
func absent(err error, all []*journal.Contents) error {
	var own *exitError
	if !errors.As(err, &own) {
		return err
	}
	var names []string
	for _, s := range journal.Absent(all...) {
		names = append(names, s.String())
	}
	if len(names) > 0 {
		own.hint = "shards that are not given: " + strings.Join(names, ", ")
	} else {
		own.hint = "solve the missing points by --shard I/N --resume"
	}
	return err
}
