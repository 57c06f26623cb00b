package logmodel_test

import (
	"context"
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/logmodel"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/des"
)

// A log like a log: one job every hour for four weeks.
func Example() {
	var jobs []workload.Job
	for i := range 4 * 7 * 24 {
		jobs = append(jobs, workload.Job{Submit: 3600 * float64(i), Work: float64(600 + 600*(i%3)), Kind: workload.Malleable})
	}
	m, err := logmodel.Fit(context.Background(), jobs, 3600, logmodel.Structure{Phases: 1}, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	like := m.Draw(des.Seed(1))
	logmodel.Stretch(like, logmodel.WorkRate(jobs))
	fmt.Printf("%s; the work of %.3f nodes in both\n", m.Structure, logmodel.WorkRate(like))
	// Output: 1 class, 1 phase; the work of 0.334 nodes in both
}
