package decide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// eightNodes returns eight nodes, exponential demands of one hour, programs of which 5 % are serial, and repartitions of 20
// seconds.
func eightNodes() *models.System {
	demand := phasetype.Must(phasetype.Exponential(1.0 / 3600))
	overhead := phasetype.Must(phasetype.Exponential(1.0 / 20))
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(1)))
	if err != nil {
		log.Fatal(err)
	}
	speedup := workload.Amdahl{Serial: 0.05}
	s := &models.System{Nodes: 8, MinNodes: 1, Arrivals: arrivals, Demand: demand, Speedup: speedup}
	for i := 1; i <= s.Partitions(); i++ {
		s.Service = append(s.Service, phasetype.Must(demand.Scale(1/speedup.At(8/float64(i)))))
		s.Shrink, s.Expand = append(s.Shrink, overhead), append(s.Expand, overhead)
	}
	s.Expand = s.Expand[:s.Partitions()-1]
	if s, err = s.WithLoad(0.6); err != nil {
		log.Fatal(err)
	}
	return s
}

// The whole decision: dynamic partitioning, every static one, the best of these and the ratio.
func ExampleSolve() {
	s := eightNodes()
	d, err := decide.Solve(context.Background(), s, policy.Candidates(s.Machine()), markov.Settings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range d.Results {
		fmt.Printf("%-9v %6.1f s\n", r.Policy, r.Measures.MeanResponseTime)
	}
	fmt.Printf("best static: %v; T_SP*/T_DP = %.3f\n", d.Best.Policy, d.Ratio)
	// Output:
	// dynamic   1628.4 s
	// static:1  3197.4 s
	// static:2  1975.6 s
	// static:4  2307.1 s
	// static:8  3757.0 s
	// best static: static:2; T_SP*/T_DP = 1.213
}

// Up to which load does resizing pay?
func ExampleSweep_Solve() {
	w := &decide.Sweep{Series: []decide.Series{{Name: "eight nodes", System: eightNodes()}}, Loads: []float64{0.3, 0.6, 0.9}}
	points, err := w.Solve(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range points {
		fmt.Printf("load %.1f: ratio %.3f\n", p.Load, p.Decision.Ratio)
	}
	// Output:
	// load 0.3: ratio 1.121
	// load 0.6: ratio 1.213
	// load 0.9: ratio 1.217
}
