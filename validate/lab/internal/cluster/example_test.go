package cluster_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab/internal/cluster"
)

// Four jobs share eight nodes; on nodes that do not coordinate they wait for each other's messages most of the time.
func ExampleRun() {
	var jobs []cluster.Job
	for i := range 4 {
		jobs = append(jobs, cluster.Job{Arrival: float64(i) / 3, Nodes: 8, Dedicated: 1, Type: cluster.Types()[4]})
	}
	end := map[string]float64{}
	for _, name := range []string{"gs", "local", "pb:d'"} {
		p, err := policy.Standard().Parse(name)
		if err != nil {
			log.Fatal(err)
		}
		c := cluster.Defaults(p)
		c.Nodes = 8
		r, err := cluster.Run(context.Background(), c, jobs)
		if err != nil {
			log.Fatal(err)
		}
		for _, job := range r.Records {
			end[name] = max(end[name], job.End)
		}
	}
	fmt.Println("coscheduled jobs end earlier:", end["gs"] < end["local"] && end["pb:d'"] < end["local"])
	// Output: coscheduled jobs end earlier: true
}
