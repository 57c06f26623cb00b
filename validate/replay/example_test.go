package replay_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/replay"
)

// The jobs of a Slurm log, of which a fifth or all can be resized.
func ExampleStudy() {
	file, err := os.Open("../../testdata/joblogs/sacct.txt")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	jobs, err := joblog.Read(file, "sacct.txt", joblog.Options{})
	if err != nil {
		log.Fatal(err)
	}
	chosen, err := replay.FromJobs(jobs.Jobs, 128)
	if err != nil {
		log.Fatal(err)
	}
	study := replay.Study{Log: chosen, Policies: []policy.Policy{policy.EASY{}, policy.EASYMalleable{}},
		Shares: []float64{0.2, 1}, Assumptions: replay.Usual()}
	runs, err := study.Run(context.Background(), 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range runs {
		fmt.Printf("%-14v %3.0f %% malleable: %6.1f s, %.2f times as fast as EASY\n", r.Policy, 100*r.Share,
			r.Measures[measure.MeanResponseTime], r.Ratio().Mean)
	}
	// Output:
	// easy             0 % malleable: 17585.4 s, 1.00 times as fast as EASY
	// easy-malleable  20 % malleable: 15614.9 s, 1.13 times as fast as EASY
	// easy-malleable 100 % malleable: 9282.5 s, 1.89 times as fast as EASY
}
