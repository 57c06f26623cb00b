package decide

import (
	"errors"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// percentilesOf returns the percentiles of the results that are shown, if they were asked for or belong to the table of
// a single static policy. Those under dynamic partitioning take seconds, and are left out with a warning where they
// would take much longer, or only resized jobs stop.
func percentilesOf(inv *cli.Invocation, shown []decide.Solved, asked bool) ([]*decide.Percentiles, error) {
	all := make([]*decide.Percentiles, len(shown))
	single := len(shown) == 1 && shown[0].Partitions() > 0
	if !asked && !(single && (inv.Format == "table" || inv.Format == "markdown")) {
		return all, nil
	}
	for i := range shown {
		var err error
		all[i], err = shown[i].Percentiles(inv.Context)
		switch {
		case err != nil && asked && !errors.Is(err, models.ErrTooLarge) && !errors.Is(err, models.ErrNoChain):
			return nil, err
		case err != nil:
			inv.Warnf("%v", err)
		}
	}
	return all, nil
}

func percentileObject(values []float64) output.Object {
	var o output.Object
	for i, p := range decide.Percents {
		o.Add(output.Shortest(p), values[i])
	}
	return o
}
