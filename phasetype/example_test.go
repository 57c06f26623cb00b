package phasetype_test

import (
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
	fmt.Println(phasetype.Must(phasetype.Erlang(10, 30)))
	// Output: PH of order 10, mean 30, SCV 0.1
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
	// 26.7
	// 9.3
	// log-density at 60: -6.191
}

// Moments that no distribution has, and the nearest that one has.
func ExampleThreeMoments() {
	_, err := phasetype.ThreeMoments(1, 1.5, 2.2)
	var e *phasetype.MomentsError
	if errors.As(err, &e) {
		fmt.Printf("nearest third moment %.4g, of %d phases\n", e.Nearest[2], e.Needed)
	}
	// Output: nearest third moment 2.252, of 1000 phases
}

// Canonical form 1 of a Coxian, whose phases are passed in the order of ascending rates.
func ExampleDist_Canonical() {
	d := phasetype.Must(phasetype.Coxian([]float64{3, 1}, []float64{0.5}))
	c, err := d.Canonical()
	fmt.Println(c, c.Alpha(), c.Rate(0, 0), c.Rate(1, 1), err)
	// Output: PH of order 2, mean 0.8333, SCV 1.24 [0.5 0.5] -1 -3 <nil>
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
	// MAP of order 2, rate 4, SCV 1.909, lag-1 correlation 0.1804
}

// The correlation of neighbouring interarrival times, also from their joint moments.
func ExampleDist_MarshalJSON() {
	d := phasetype.Must(phasetype.New([]float64{0.4, 0.6}, mat.NewDense(2, 2, []float64{-1, 1, 0, -2})))
	text, err := json.Marshal(d)
	fmt.Printf("%s %v\n", text, err)
	// Output: {"T":[[-1,1],[0,-2]],"alpha":[0.4,0.6]} <nil>
}

func ExampleMAP_MarshalJSON() {
	m, _ := phasetype.Renewal(phasetype.Must(phasetype.Erlang(2, 1)))
	text, err := json.Marshal(m)
	fmt.Printf("%s %v\n", text, err)
	// Output: {"D0":[[-2,2],[0,-2]],"D1":[[0,0],[2,0]]} <nil>
}

func ExampleMAP_LagCorrelation() {
	m := bursty()
	mean := m.InterarrivalMoment(1)
	covariance := m.JointMoment(1, 1) - mean*mean
	fmt.Printf("%.4f %.4f\n", m.LagCorrelation(1), covariance/(m.SCV()*mean*mean))
	// Output: 0.1804 0.1804
}
