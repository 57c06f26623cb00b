package sweep_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/sweep"
)

// A run that ends after the second point is continued from its journal.
func Example() {
	folder, err := os.MkdirTemp("", "sweep")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	study, err := modelfile.LoadStudy("../../testdata/ips96/w1.yaml", modelfile.SetLoads("0.2,0.5,0.8"))
	if err != nil {
		log.Fatal(err)
	}
	configuration, err := sweep.Inputs(study)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"interrupted", "resumed"} {
		points, err := sweep.NewPoints([]*sweep.Study{sweep.New(study, study.Loads)}, sweep.Shard{})
		if err != nil {
			log.Fatal(err)
		}
		plan := sweep.Plan{Configuration: configuration, Points: points.Total}
		journal, err := sweep.OpenJournal(filepath.Join(folder, "w1.journal"), plan, true)
		if err != nil {
			log.Fatal(err)
		}
		if err := points.Restore(policy.Standard(), journal.Records, true); err != nil {
			log.Fatal(err)
		}
		known := points.Total - points.Missing
		ctx, interrupt := context.WithCancel(context.Background())
		how := sweep.Solving{Workers: 1, Journal: journal, Each: func(*decide.Point) {
			if points.Missing == points.Total-2 {
				interrupt()
			}
		}}
		err = points.Solve(ctx, how)
		fmt.Printf("%s: %d of %d points were known, %d are now: %v\n", name, known, points.Total, points.Total-points.Missing, err)
		interrupt()
		if err := journal.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// interrupted: 0 of 18 points were known, 2 are now: context canceled
	// resumed: 2 of 18 points were known, 18 are now: <nil>
}
