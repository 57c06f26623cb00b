package replay

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/metric"
)

// Use returns how the chosen jobs used the nodes of the machine, as the log recorded it: the most nodes at once, and
// the share of the node-time. The error is that of reading the log.
func (l *Log) Use() (logstats.Use, error) {
	if err := l.check(); err != nil {
		return logstats.Use{}, err
	}
	return logstats.UseOf(Offered{l, 1}.Jobs(), l.Nodes)
}

// CheckLoad returns a *[SettingError] if the number of nodes must be wrong: the chosen jobs held more node-time than
// the machine had from the first submission to the last end. The error names the most nodes that jobs held at once. The
// result is nil where nothing can be said: with fewer than [metric.FewestJobs] jobs, stretched times, or jobs that were
// all submitted at once.
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
	fits := max(use.Peak, int(math.Ceil(use.Load*float64(l.Nodes))))
	return &SettingError{"nodes", fmt.Sprintf("the jobs of %s held %.3g times the node-time that %d %s had; use %d %[4]s: no more were in use at once",
		l.Name, use.Load, l.Nodes, l.SizesIn(), fits)}
}
