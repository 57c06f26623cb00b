package phasetype_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
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

// An error says which element is wrong.
func ExampleNew() {
	_, err := phasetype.New([]float64{1, 0}, mat.NewDense(2, 2, []float64{-1, 1, -0.5, -2}))
	var e *phasetype.Error
	fmt.Println(err)
	fmt.Println(errors.As(err, &e), e.Row, e.Col)
	// Output:
	// phasetype: T[1][0]: negative rate -0.5
	// true 1 0
}

func ExampleDist_String() {
	fmt.Println(phasetype.Must(phasetype.New([]float64{0.4, 0.6}, mat.NewDense(2, 2, []float64{-1, 1, 0, -2}))))
	fmt.Println(phasetype.Must(phasetype.Erlang(10, 30)))
	// Output:
	// PH of 2 phases, mean 0.9, SCV 1.099, alpha [0.4 0.6], T [-1 1; 0 -2]
	// PH of 10 phases, mean 30, SCV 0.1
}

// Random run times, with the interfaces of gonum.
func ExampleDist_With() {
	run := phasetype.Must(phasetype.TwoMoments(30, 4)).With(rand.NewPCG(1, 2))
	var times distuv.Rander = run
	for range 3 {
		fmt.Printf("%.1f\n", times.Rand())
	}
	var density distuv.LogProber = run
	fmt.Printf("log-density at 60: %.3f\n", density.LogProb(60))
	// Output:
	// 1.1
	// 41.6
	// 15.5
	// log-density at 60: -6.191
}

// Moments that no distribution of ten phases has, and the nearest that one has.
func ExampleThreeMoments() {
	_, err := phasetype.ThreeMomentsUpTo(10, 1, 1.5, 2.2)
	var e *phasetype.MomentsError
	if errors.As(err, &e) {
		low, high, _ := phasetype.ThirdMomentBounds(10, 1, 1.5)
		fmt.Printf("the third moment must be between %.4g and %.4g, nearest %.4g\n", low, high, e.Nearest[2])
	}
	// Output: the third moment must be between 2.475 and +Inf, nearest 2.475
}

// The time until both of two parts of a job have ended, and until one has.
func ExampleMaximum() {
	first, second := phasetype.Must(phasetype.Erlang(2, 10)), phasetype.Must(phasetype.Exponential(0.1))
	both := phasetype.Must(phasetype.Maximum(first, second))
	one := phasetype.Must(phasetype.Minimum(first, second))
	fmt.Printf("both: mean %.4g, %d phases; one: mean %.4g, %d phases\n",
		both.Mean(), both.Phases(), one.Mean(), one.Phases())
	// Output: both: mean 14.44, 5 phases; one: mean 5.556, 2 phases
}

// The smaller of two Erlang times has four phases, as a pair of chains. Three are enough.
func ExampleDist_Reduce() {
	erlang := phasetype.Must(phasetype.Erlang(2, 1))
	both := phasetype.Must(phasetype.Minimum(erlang, erlang))
	reduced, err := both.Reduce(context.Background(), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d phases, %d after reduction\n", both.Phases(), reduced.Phases())
	// Output: 4 phases, 3 after reduction
}

// Two representations of one distribution, and two distributions that differ.
func ExampleCompare() {
	a := phasetype.Must(phasetype.Exponential(1))
	double := phasetype.Must(phasetype.Mixture([]float64{1, 2}, []phasetype.Dist{a, a}))
	faster := phasetype.Must(phasetype.Exponential(1.01))
	for _, b := range []phasetype.Dist{double, faster} {
		d, err := phasetype.Compare(context.Background(), a, b)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("distribution function %.4f, tail %.2f, equivalent %v\n", d.CDF, d.Tail, d.Within(1e-12))
	}
	// Output:
	// distribution function 0.0000, tail 0.00, equivalent true
	// distribution function 0.0037, tail 0.01, equivalent false
}

// Canonical form 1 of a Coxian, whose phases are passed in the order of ascending rates.
func ExampleDist_Canonical() {
	d := phasetype.Must(phasetype.Coxian([]float64{3, 1}, []float64{0.5}))
	c, err := d.Canonical()
	fmt.Println(d.Acyclic(), c, err)
	// Output: true PH of 2 phases, mean 0.8333, SCV 1.24, alpha [0.5 0.5], T [-1 1; 0 -3] <nil>
}

// Run times with a power tail, as phases.
func ExampleFeldmannWhitt() {
	tail := phasetype.Pareto{Shape: 1.5, Scale: 1}
	d, fidelity, err := phasetype.FeldmannWhitt(tail.Survival, phasetype.Range{Phases: 8})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d phases, mean %.3f instead of %.3f, tail within %.1f %% up to %.0f\n",
		d.Phases(), d.Mean(), tail.Mean(), 100*fidelity.Relative, fidelity.To)
	// Output: 8 phases, mean 1.995 instead of 2.000, tail within 3.1 % up to 9993
}

func ExampleDist_MarshalJSON() {
	data, err := json.Marshal(phasetype.Must(phasetype.Coxian([]float64{1, 2}, []float64{0.5})))
	fmt.Println(string(data), err)
	// Output: {"alpha":[1,0],"T":[[-1,0.5],[0,-2]]} <nil>
}

// bursty is a process with two arrival rates.
func bursty() phasetype.MAP {
	m, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-0.1, 0.1, 0.3, -0.3}), []float64{5, 1})
	if err != nil {
		log.Fatal(err)
	}
	return m
}

func ExampleMAP_String() {
	fmt.Println(bursty())
	// Output:
	// MAP of 2 phases, rate 4, SCV 1.909, lag-1 correlation 0.1804, D0 [-5.1 0.1; 0.3 -1.3], D1 [5 0; 0 1]
}

// The correlation of neighbouring interarrival times, also from their joint moments.
func ExampleMAP_LagCorrelation() {
	m := bursty()
	mean := m.InterarrivalMoment(1)
	covariance := m.JointMoment(1, 1) - mean*mean
	fmt.Printf("%.4f %.4f\n", m.LagCorrelation(1), covariance/(m.SCV()*mean*mean))
	// Output: 0.1804 0.1804
}

// The jobs of two communities, of one of which only half are submitted here.
func ExampleSuperpose() {
	regular, err := phasetype.Renewal(phasetype.Must(phasetype.Erlang(4, 1)))
	if err != nil {
		log.Fatal(err)
	}
	half, err := bursty().Thin(0.5)
	if err != nil {
		log.Fatal(err)
	}
	all, err := phasetype.Superpose(regular, half)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d phases, rate %.3g, scv %.3f, dispersion %.3f\n", all.Phases(), all.Rate(), all.SCV(), all.Dispersion())
	// Output: 8 phases, rate 3, scv 0.914, dispersion 2.000
}

// The interarrival times of a simulation.
func ExampleMAP_With() {
	path, err := bursty().With(rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}
	for range 4 {
		fmt.Printf("%.3f ", path.Next())
	}
	// Output: 0.013 0.482 0.179 0.108
}
