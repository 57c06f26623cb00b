package decide_test

import (
	"context"
	"fmt"
	"log"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// eightNodes returns eight nodes, exponential demands of one hour, programs of which 5 % are serial, and repartitions
// of 20 seconds.
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

// Which way to share the machine is better, and by how much?
func ExampleDecision_Compare() {
	s := eightNodes()
	d, err := decide.Solve(context.Background(), s, policy.Candidates(s.Machine()), markov.Settings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	c := d.Compare()
	fmt.Println("dynamic partitioning wins:", c.Winner == decide.DynamicWins)
	fmt.Printf("jobs take %.1f %% less time (%.3f times as fast) than with %v\n", 100*c.Saving, c.Speedup, c.Rival.Policy)
	// Output:
	// dynamic partitioning wins: true
	// jobs take 17.6 % less time (1.213 times as fast) than with static:2
}

// Does the machine do what it is expected to, and what is required of it?
func ExampleDecision_Judge() {
	s := eightNodes()
	d, err := decide.Solve(context.Background(), s, []policy.Policy{policy.Dynamic{}}, markov.Settings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	response := decide.Subject{Policy: policy.Dynamic{}, Measure: measure.Must(measure.MeanResponseTime)}
	j := d.Judge(&decide.Expectation{Subject: response, Value: 1628, Tolerance: 0.001})
	fmt.Printf("expected 1628 s, found %.1f s: %v\n", j.Found, j.Pass)
	limit := 1500.0
	found, _, met := d.Meets(&decide.Requirement{Subject: response, AtMost: &limit})
	fmt.Printf("at most %v s, found %.1f s: %v\n", limit, found, met)
	// Output:
	// expected 1628 s, found 1628.4 s: true
	// at most 1500 s, found 1628.4 s: false
}

// How long do the unlucky ones wait?
func ExampleSolved_Percentiles() {
	s := eightNodes()
	d, err := decide.Solve(context.Background(), s, []policy.Policy{policy.Static{Partitions: 2}}, markov.Settings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	p, err := d.Results[0].Percentiles(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, times := range p.Times {
		for i, percent := range decide.Percents() {
			fmt.Printf("%s p%.0f %.0f s\n", times.Name, percent, times.Values[i])
		}
	}
	// Output:
	// waiting_time p50 199 s
	// waiting_time p90 2886 s
	// waiting_time p95 4043 s
	// waiting_time p99 6730 s
	// response_time p50 1462 s
	// response_time p90 4389 s
	// response_time p95 5587 s
	// response_time p99 8319 s
}

// How much may a repartition cost before it does not pay any more?
func ExampleBreakeven() {
	b := decide.Breakeven{System: eightNodes(), Axis: decide.Axes()[0], Steps: 8} // the overhead
	a, err := b.Solve(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, i := range a.Intervals {
		fmt.Printf("pays %v: repartitions of %.1f to %.1f s\n", i.Pays, i.From.Value, i.To.Value)
	}
	// Output:
	// pays true: repartitions of 0.0 to 49.2 s
	// pays false: repartitions of 49.2 to 80.0 s
}

// Into how many partitions is the machine best split, by load?
func ExampleSplit() {
	b := decide.Breakeven{System: eightNodes(), Axis: decide.Axes()[1], From: 0.1, To: 0.9, Steps: 4}
	a, err := b.Solve(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range a.Splits {
		fmt.Printf("%d partitions from load %.3f to %.3f\n", s.Partitions, s.From, s.To)
	}
	// Output:
	// 1 partitions from load 0.100 to 0.396
	// 2 partitions from load 0.396 to 0.676
	// 4 partitions from load 0.676 to 0.851
	// 8 partitions from load 0.851 to 0.900
}

// Which number does the answer hang on?
func ExampleSensitivity() {
	e, err := decide.Sensitivity(context.Background(), eightNodes(), markov.Settings{}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("1 %% more of each, in per cent of the ratio to static:%d\n", e.Partitions)
	for _, one := range e.Effects[:3] {
		fmt.Printf("%s %+.2f\n", one.Parameter, one.Ratio)
	}
	// Output:
	// 1 % more of each, in per cent of the ratio to static:2
	// service means +0.45
	// arrival rate +0.32
	// nodes -0.25
}

// Up to which load does resizing pay?
func ExampleSweep_Solve() {
	w := &decide.Sweep{
		Series: []decide.Series{{Name: "eight nodes", System: eightNodes()}},
		Loads:  []float64{0.3, 0.6, 0.9},
	}
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
