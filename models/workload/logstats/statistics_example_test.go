package logstats_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/models/workload/logstats"
)

// Two large jobs, two small ones, and so on: their work is not independent.
func ExampleOf() {
	var jobs []joblog.Job
	for i := range 400 {
		jobs = append(jobs, joblog.Job{Submit: float64(600 * i), Run: float64(60 + 3600*(i/2%2)), Processors: 8})
	}
	s, err := logstats.Of(context.Background(), joblog.ListOf(jobs), logstats.Options{Nodes: 32})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range s.Assumptions {
		if a.Name == "independent_work" {
			fmt.Printf("%s: %s, %s\n", a.Claim, a.Verdict, a.Shown)
		}
	}
	// Output:
	// the work of jobs is independent: violated, rank autocorrelation -0.99 at lag 2
}
