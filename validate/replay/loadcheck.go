package replay

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
)

// Use returns how the chosen jobs used the nodes of the machine at the times that the log recorded, even if l stretches
// the times. Peak is the most nodes in use at once. Load is the node-time of the jobs divided by the node-time of the
// machine, from the first submission to the last end. The error comes from reading the log, or says that l was not made
// by [Choose].
func (l *Log) Use() (logstats.Use, error) {
	if err := l.check(); err != nil {
		return logstats.Use{}, err
	}
	return logstats.UseOf(Offered{l, 1}.Jobs(), l.Nodes)
}

// doubtfulLoad is the load from which on the jobs themselves are doubtful, and not only the number of nodes.
const doubtfulLoad = 2

// CheckLoad returns a *[SettingError] if the machine of the log must have too few nodes. The chosen jobs then held more
// node-time than it had from the first submission to the last end. The error names the number of nodes to use for all
// jobs in the range of the choice, also the jobs that are larger than the machine:
//
//   - the most nodes that jobs held at once, if the log tells when jobs started;
//   - otherwise the least number with a load below 1 that holds the largest job.
//
// The result is nil where nothing can be said: with fewer than [metric.FewestJobs] jobs, with stretched times, or if
// all jobs were submitted at once. It may also be the error of reading the log, or that l was not made by [Choose].
func (l *Log) CheckLoad() error {
	if err := l.check(); err != nil {
		return err
	}
	if l.stretch() != 1 || l.Offer.Jobs < metric.FewestJobs || l.Offer.First == l.Offer.Last {
		return nil
	}
	use, err := l.Use()
	if err != nil || use.Load <= 1 {
		return err
	}
	all, err := l.ofAnySize()
	if err != nil {
		return err
	}
	used, err := all.Use()
	if err != nil {
		return err
	}
	held := used.Load * float64(all.Nodes) // nodes on average
	if float64(used.Peak) >= held {
		problem := fmt.Sprintf("the jobs of %s held %.3g times the node-time that %s %s had", l.Name, use.Load,
			words.Whole(l.Nodes), l.SizesIn())
		remedy := fmt.Sprintf("use %d %s: no more were in use at once", used.Peak, l.SizesIn())
		if use.Load > doubtfulLoad {
			remedy = "check the columns of run times and sizes; if they are right, " + remedy
		}
		return &SettingError{"nodes", problem + "; " + remedy}
	}
	largest, err := logstats.LargestJob(Offered{all, 1}.Jobs())
	if err != nil {
		return err
	}
	fits := max(largest, 1+int(all.Offer.Load(1)))
	return &SettingError{"load", fmt.Sprintf("the jobs of %s offer a load of %.3g to %s %s, and the log does not tell when they "+
		"started; use at least "+
		"%d %[4]s, or a load below 1", l.Name, l.Load(), words.Whole(l.Nodes), l.SizesIn(), fits)}
}

// ofAnySize returns the log of all jobs in the range of the choice, on a machine that is large enough for each of them.
// The error comes from [Choose].
func (l *Log) ofAnySize() (*Log, error) {
	c := l.Choice
	c.Nodes, c.MostLost = math.MaxInt32, 0
	return choose(&Log{Choice: c, all: l.all, kept: l.kept})
}
