package phasetype_test

import (
	"encoding/json"
	"fmt"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

// A job whose run time has a mean of 30 s and a squared coefficient of variation of 4, after a set-up of 5 s.
func Example() {
	run := phasetype.Must(phasetype.TwoMoments(30, 4))
	setup := phasetype.Must(phasetype.Erlang(2, 5))
	both := phasetype.Must(phasetype.Sum(setup, run))
	fmt.Printf("%d phases, mean %.4g, scv %.4g\n", both.Phases(), both.Mean(), both.SCV())
	fmt.Printf("p95 %.4g, P(X > 1000) = %.3g\n", both.Quantile(0.95), both.Survival(1000))
	// Output:
	// 4 phases, mean 35, scv 2.949
	// p95 116.6, P(X > 1000) = 6.39e-05
}

func ExampleNew() {
	_, err := phasetype.New([]float64{1, 0}, mat.NewDense(2, 2, []float64{-1, 1, -0.5, -2}))
	fmt.Println(err)
	// Output: phasetype: T[1][0]: negative rate -0.5
}

func ExampleThreeMoments() {
	_, err := phasetype.ThreeMomentsUpTo(10, 1, 1.5, 2.2)
	fmt.Println(err)
	// Output: phasetype: moments 1, 1.5, 2.2 are not those of a phase-type distribution of up to 10 phases; nearest third moment 2.47500002475 (10 phases)
}

func ExampleMAP_LagCorrelation() {
	bursty, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-0.1, 0.1, 0.3, -0.3}), []float64{5, 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("rate %.3g, scv %.4f, lag-1 correlation %.4f\n", bursty.Rate(), bursty.SCV(), bursty.LagCorrelation(1))
	// Output: rate 4, scv 1.9091, lag-1 correlation 0.1804
}

func ExampleDist_MarshalJSON() {
	data, err := json.Marshal(phasetype.Must(phasetype.Coxian([]float64{1, 2}, []float64{0.5})))
	fmt.Println(string(data), err)
	// Output: {"alpha":[1,0],"T":[[-1,0.5],[0,-2]]} <nil>
}

// The run time of a job that ends when two of its three parts have.
func ExampleOrderStatistic() {
	part := phasetype.Must(phasetype.Exponential(0.5))
	job := phasetype.Must(phasetype.OrderStatistic(part, 2, 3))
	fmt.Printf("%d phases, mean %.4g\n", job.Phases(), job.Mean())
	// Output: 2 phases, mean 1.667
}

// The smaller of two Erlang times, four phases as a pair of chains, has a canonical form of three.
func ExampleDist_Reduce() {
	erlang := phasetype.Must(phasetype.Erlang(2, 1))
	both := phasetype.Must(phasetype.Minimum(erlang, erlang))
	least := both.Reduce(0)
	fmt.Printf("%d phases, %d after reduction, degree %d\n", both.Phases(), least.Phases(), both.Degree(0))
	// Output: 4 phases, 3 after reduction, degree 3
}

func ExampleFeldmannWhitt() {
	tail := phasetype.Pareto{Shape: 1.5, Scale: 1}
	d, fidelity, err := phasetype.FeldmannWhitt(tail.Survival, phasetype.Range{Phases: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d phases, mean %.3f instead of %.3f, tail within %.1f %% up to %.0f\n",
		d.Phases(), d.Mean(), tail.Mean(), 100*fidelity.Relative, fidelity.To)
	// Output: 8 phases, mean 1.995 instead of 2.000, tail within 3.1 % up to 9993
}

func ExampleCompare() {
	a := phasetype.Must(phasetype.Exponential(1))
	b := phasetype.Must(phasetype.Exponential(1.01))
	fmt.Printf("%.4f, tail %.2f\n", phasetype.Compare(a, b).CDF, phasetype.Compare(a, b).Tail)
	// Output: 0.0037, tail 0.01
}
