package points_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/cmd/partwise/internal/points"
	"github.com/partwise/partwise/models/modelfile"
)

// A study at three loads, solved.
func Example() {
	study, err := modelfile.LoadStudy("../../../../testdata/ips96/w1.yaml", modelfile.SetLoads("0.2,0.5,0.8"))
	if err != nil {
		log.Fatal(err)
	}
	s := points.New(study, study.Loads)
	if s.Points, err = s.Sweep.Solve(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d series of %d points, times in %s\n", len(s.Series), len(s.Solved(0)), s.Unit())
	// Output: 6 series of 3 points, times in s
}
