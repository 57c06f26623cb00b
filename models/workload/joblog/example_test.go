package joblog_test

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/workload/joblog"
)

// A table of Slurm: the line of the step has nothing to add to that of its job.
func ExampleRead() {
	table := `JobID|Submit|Start|End|Elapsed|AllocNodes|State|Timelimit
7|2024-03-01T08:00:00|2024-03-01T08:05:00|2024-03-02T09:05:00|1-01:00:00|4|COMPLETED|2-00:00:00
7.batch|2024-03-01T08:05:00|2024-03-01T08:05:00|2024-03-02T09:05:00|1-01:00:00|1|COMPLETED|
8|2024-03-01T08:10:00|2024-03-01T08:10:00|Unknown|02:00:00|2|RUNNING|UNLIMITED
9|2024-03-01T08:
`
	log, err := joblog.Read(strings.NewReader(table), "sacct.txt", joblog.Options{})
	if err != nil {
		panic(err)
	}
	for _, j := range log.Jobs {
		fmt.Printf("job %d waited %v s and ran %v s on %d nodes: %v\n", j.ID, j.Wait, j.Run, j.Nodes(), j.Status)
	}
	for _, f := range log.Findings {
		fmt.Println(f)
	}
	// Output:
	// job 7 waited 300 s and ran 90000 s on 4 nodes: completed
	// 1 with another number of fields than the header (first in line 5: "9|2024-03-01T08:")
	// jobs that still ran when the log ended, which are not replayed: 1
}
