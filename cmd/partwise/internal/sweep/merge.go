package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/cmd/partwise/internal/solution"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
)

// maxShards bounds the files that can be merged.
const maxShards = 100_000

// Merge is the command that makes one result of shards.
func Merge() cli.Command {
	return cli.WithOptions(newMergeOptions, merge, cli.Command{
		Name:      "merge",
		Group:     cli.Answering,
		Summary:   "make one result of the shards of a sweep or curve",
		Arguments: "SHARD...",
		Details: "Puts together what `partwise sweep --shard I/N` or `curve --shard I/N` wrote, and writes what the " +
			"command would have written without --shard, to the byte. The shards hold all that is needed: neither study nor " +
			"models are read. Journals of interrupted runs can be merged, too. If points are missing, or failed, " +
			"the others are written to FILE.partial and the exit code is 7.",
		Examples: []string{
			"for i in 1 2 3; do partwise sweep study.yaml --shard $i/3 --output grid.csv; done; partwise merge " +
				"grid.csv.shard-*-of-3 --output grid.csv",
		},
		MinArgs: 1, MaxArgs: maxShards,
		Formats: []string{"csv", "json", "markdown", "table"},
	})
}

// mergeOptions are the flags of merge.
type mergeOptions struct{ drawing }

func newMergeOptions() *mergeOptions { return &mergeOptions{newDrawing()} }

// Flags binds the flags.
func (o *mergeOptions) Flags() []cli.Flag { return o.flags("response times, ratio and repartitioning") }

// Check accepts all of them together.
func (o *mergeOptions) Check(*cli.Invocation) error { return nil }

func merge(inv *cli.Invocation, o *mergeOptions) error {
	var all []*journal.Contents
	for _, name := range inv.Args {
		if err := fits(inv, name); err != nil {
			return err
		}
		c, err := journal.Read(name)
		if err != nil {
			return readError(err)
		}
		all = append(all, c)
	}
	whole, err := journal.Merge(all...)
	var changed *journal.ChangedError
	switch {
	case errors.As(err, &changed):
		return &cli.Error{Code: cli.ExitInput, Err: err, Hint: "merge shards of one sweep; the first is " + inv.Args[0]}
	case err != nil:
		return err
	}
	f, err := resultsOf(inv.Table, whole)
	if err != nil {
		return &cli.Error{Code: cli.ExitInput, Err: fmt.Errorf("%s: %w", inv.Args[0], err)}
	}
	if f.missing == 0 {
		f.read()
		if err := f.write(inv, o.drawing); err != nil {
			return err
		}
		return f.conclude(inv)
	}
	return withMissingShards(f.incomplete(inv), all)
}

// fits returns an error if what a file of a sweep holds takes more memory than it may.
func fits(inv *cli.Invocation, name string) error {
	const copies = 4 // the text, the records in it, and the points that they are
	info, err := os.Stat(name)
	if err != nil {
		return nil // which whoever reads it says
	}
	if err := inv.Memory.Check(copies * float64(info.Size())); err != nil {
		return &cli.Error{Code: cli.ExitTooLarge, Hint: "raise --memory",
			Err: fmt.Errorf("%s: is of %d MiB, too many for the memory that may be used", name, info.Size()>>20)}
	}
	return nil
}

// read says what holds if only the resized jobs stop, from points that were solved for that, too: those of shards.
func (r *results) read() {
	for k, l := range r.layouts {
		for i := range l.Series {
			points := r.points[k][i*l.Loads : (i+1)*l.Loads]
			one, ok := decide.NewReading(points)
			compared := slices.ContainsFunc(points, func(p decide.Point) bool { return p.Decision.Ratio != 0 })
			switch {
			case ok:
				r.readings = append(r.readings, solution.ReadingTexts([]decide.Reading{one})...)
			case r.command == "curve" && l.Series[i].Ambiguous && compared:
				one = decide.Reading{Series: l.Series[i].Name, Err: errors.New("only shards hold it, not journals of whole runs")}
				r.readings = append(r.readings, solution.ReadingTexts([]decide.Reading{one})...)
			}
		}
	}
}

// readError is the error of a file that is not what it should be, or not there.
func readError(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return err
	}
	return &cli.Error{Code: cli.ExitInput, Err: err, Hint: "shards are made by partwise sweep --shard I/N --output FILE"}
}

// resultsOf returns what the records of a sweep say, their policies from a table.
func resultsOf(table policy.Table, c *journal.Contents) (*results, error) {
	var what planLayout
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
	f := newResults(what.Command, what.Studies, c.Plan.Shard)
	return f, f.restore(table, c.Records, false)
}

// withMissingShards adds to an error which shards are missing.
func withMissingShards(err error, all []*journal.Contents) error {
	var own *cli.Error
	if !errors.As(err, &own) {
		return err
	}
	var names []string
	for _, s := range journal.Absent(all...) {
		names = append(names, s.String())
	}
	if len(names) > 0 {
		own.Hint = "shards that are not given: " + strings.Join(names, ", ")
	} else {
		own.Hint = "solve the missing points by --shard I/N --resume"
	}
	return err
}
