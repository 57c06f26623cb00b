package phasetype_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype"
	"gonum.org/v1/gonum/mat"
)

func dense(rows ...[]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		m.SetRow(i, r)
	}
	return m
}

func TestRefused(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one := phasetype.Must(phasetype.Exponential(1))
	big := phasetype.Must(phasetype.Erlang(600, 1))
	atom := phasetype.Must(phasetype.New([]float64{.5}, dense([]float64{-1})))
	dist := func(_ phasetype.Dist, err error) error { return err }
	process := func(_ phasetype.MAP, err error) error { return err }
	good := dense([]float64{-1, 1}, []float64{0, -2})
	for _, c := range []struct {
		name     string
		err      error
		where    string
		mentions string
	}{
		{"no phases", dist(phasetype.New(nil, good)), "alpha", "no phases"},
		{"sizes", dist(phasetype.New([]float64{1}, good)), "T", "2×2"},
		{"too many", dist(phasetype.New(make([]float64, 1001), good)), "alpha", "1000"},
		{"negative alpha", dist(phasetype.New([]float64{1, -1}, good)), "alpha[1]", "-1"},
		{"NaN alpha", dist(phasetype.New([]float64{nan, 1}, good)), "alpha[0]", "NaN"},
		{"alpha sum", dist(phasetype.New([]float64{1, 0.1}, good)), "alpha", "1.1"},
		{"diagonal", dist(phasetype.New([]float64{1, 0}, dense([]float64{1, 0}, []float64{0, -1}))), "T[0][0]", "negative"},
		{"zero diagonal", dist(phasetype.New([]float64{1, 0}, dense([]float64{-1, 0}, []float64{0, 0}))), "T[1][1]", "negative"},
		{"negative rate", dist(phasetype.New([]float64{1, 0}, dense([]float64{-1, 0}, []float64{-.5, -1}))), "T[1][0]", "-0.5"},
		{"infinite rate", dist(phasetype.New([]float64{1, 0}, dense([]float64{-1, inf}, []float64{0, -1}))), "T[0][1]", "Inf"},
		{"row sum", dist(phasetype.New([]float64{1, 0}, dense([]float64{-1, 2}, []float64{0, -1}))), "T[0]", "sums to 1"},
		{"trapped", dist(phasetype.New([]float64{1, 0}, dense([]float64{-1, 1}, []float64{1, -1}))), "T[0]", "absorption"},
		{"fast", dist(phasetype.Exponential(1e200)), "T[0][0]", "unit of time"},
		{"exit length", dist(phasetype.FromRates([]float64{1, 0}, good, []float64{1})), "exit", "1 entries"},
		{"diagonal and exit", dist(phasetype.FromRates([]float64{1}, dense([]float64{-1}), []float64{2})), "T[0][0]", "add up to 2"},
		{"exit", dist(phasetype.FromRates([]float64{1, 0}, good, []float64{0, -2})), "exit[1]", "-2"},
		{"rate", dist(phasetype.Exponential(0)), "rate", "positive"},
		{"erlang phases", dist(phasetype.Erlang(0, 1)), "phases", "between"},
		{"erlang mean", dist(phasetype.Erlang(2, -1)), "mean", "-1"},
		{"weights", dist(phasetype.Hyperexponential([]float64{1, -1}, []float64{1, 1})), "weights[1]", "-1"},
		{"weights sum", dist(phasetype.Hyperexponential([]float64{0}, []float64{1})), "weights", "sum"},
		{"no weights", dist(phasetype.Hyperexponential(nil, nil)), "weights", "none"},
		{"means", dist(phasetype.Hyperexponential([]float64{1, 1}, []float64{1, 0})), "means[1]", "positive"},
		{"means length", dist(phasetype.Hyperexponential([]float64{1, 1}, []float64{1})), "means", "2 weights"},
		{"balanced scv too large", dist(phasetype.BalancedHyperexponential(1, 1e308)), "scv", "1e+308 is too large"},
		{"two moments too far apart", dist(phasetype.TwoMoments(1e60, 1e50)), "scv", "1e+50 is too large"},
		{"balanced scv", dist(phasetype.BalancedHyperexponential(1, 0.5)), "scv", "at least 1"},
		{"coxian", dist(phasetype.Coxian([]float64{1, 2}, []float64{2})), "continue[0]", "probability"},
		{"coxian last", dist(phasetype.Coxian([]float64{1, 2}, []float64{1, 1})), "continue[1]", "last"},
		{"coxian rate", dist(phasetype.Coxian([]float64{1, nan}, []float64{1})), "rates[1]", "NaN"},
		{"coxian lengths", dist(phasetype.Coxian([]float64{1, 2, 3}, []float64{1})), "continue", "need 2"},
		{"scv", dist(phasetype.TwoMoments(1, 0)), "scv", "positive"},
		{"small scv", dist(phasetype.TwoMoments(1, 1e-4)), "scv", "0.001"},
		{"moments mean", dist(phasetype.TwoMoments(0, 1)), "mean", "positive"},
		{"three moments", dist(phasetype.ThreeMoments(1, inf, 6)), "m2", "Inf"},
		{"scale", dist(one.Scale(0)), "by", "positive"},
		{"sum", dist(phasetype.Sum(big, big)), "alpha", "1200"},
		{"mixture", dist(phasetype.Mixture([]float64{1}, nil)), "weights", "0 distributions"},
		{"renewal", process(phasetype.Renewal(atom)), "alpha", "zero"},
		{"map sizes", process(phasetype.NewMAP(good, dense([]float64{1}))), "D1", "1×1"},
		{"map row", process(phasetype.NewMAP(dense([]float64{-1}), dense([]float64{2}))), "D0[0][0]", "add up to 2"},
		{"map D1", process(phasetype.NewMAP(dense([]float64{1}), dense([]float64{-1}))), "D1[0][0]", "-1"},
		{"map reducible", process(phasetype.NewMAP(dense([]float64{-2, 1}, []float64{0, -1}),
			dense([]float64{1, 0}, []float64{0, 1}))), "D0[1]", "reach"},
		{"map slow moves", process(phasetype.NewMAP(dense([]float64{-1, 5e-324}, []float64{1, -2}),
			dense([]float64{1, 0}, []float64{0, 1}))), "D0[0][1]", "unit of time"},
		{"map fast moves", process(phasetype.NewMAP(dense([]float64{-1e101, 1e101}, []float64{1, -2}),
			dense([]float64{0, 0}, []float64{0, 1}))), "D0[0][1]", "unit of time"},
		{"map slow ring", process(phasetype.NewMAP(dense([]float64{-1, 1e-200, 0}, []float64{0, -1, 1e-200}, []float64{1e-200, 0, -1}),
			dense([]float64{1, 0, 0}, []float64{0, 1, 0}, []float64{0, 0, 1}))), "D0[0][1]", "unit of time"},
		{"map slow arrivals", process(phasetype.NewMAP(dense([]float64{-1, 1}, []float64{1, -2}),
			dense([]float64{1e-200, 0}, []float64{0, 1}))), "D1[0][0]", "unit of time"},
		{"no arrivals", process(phasetype.NewMAP(dense([]float64{-1, 1}, []float64{1, -1}), mat.NewDense(2, 2, nil))), "D1", "no arrivals"},
		{"mmpp slow states", process(phasetype.MMPP(dense([]float64{-1e-200, 1e-200}, []float64{1, -1}), []float64{1, 1})), "Q[0][1]", "unit of time"},
		{"mmpp slow arrivals", process(phasetype.MMPP(dense([]float64{-1, 1}, []float64{1, -1}), []float64{1, 1e-200})), "rates[1]", "unit of time"},
		{"mmpp rates", process(phasetype.MMPP(dense([]float64{-1, 1}, []float64{1, -1}), []float64{1, -1})), "rates[1]", "-1"},
	} {
		var e *phasetype.Error
		switch {
		case !errors.As(c.err, &e):
			t.Errorf("%s: %v is no *Error", c.name, c.err)
		case e.Where() != c.where || !strings.Contains(e.Problem, c.mentions):
			t.Errorf("%s: got %q, want it at %s with %q", c.name, e, c.where, c.mentions)
		}
	}
}

// TestNothing: nil and zero arguments of all exported functions and methods give an error or a value, never a panic,
// and the prefix of a message occurs once.
func TestNothing(t *testing.T) {
	var zero phasetype.Dist
	var none phasetype.MAP
	var noMatrix *mat.Dense
	one := phasetype.Must(phasetype.Exponential(1))
	err := func(_ any, err error) error { return err }
	for name, err := range map[string]error{
		"new":              err(phasetype.New(nil, nil)),
		"new of no matrix": err(phasetype.New([]float64{1}, noMatrix)),
		"empty matrix":     err(phasetype.New([]float64{1}, &mat.Dense{})),
		"rates":            err(phasetype.FromRates(nil, nil, nil)),
		"rates, no matrix": err(phasetype.FromRates([]float64{1}, noMatrix, []float64{1})),
		"map":              err(phasetype.NewMAP(nil, nil)),
		"map without D1":   err(phasetype.NewMAP(mat.NewDense(1, 1, nil), noMatrix)),
		"empty map":        err(phasetype.NewMAP(&mat.Dense{}, &mat.Dense{})),
		"mmpp":             err(phasetype.MMPP(nil, nil)),
		"empty mmpp":       err(phasetype.MMPP(&mat.Dense{}, nil)),
		"big mmpp":         err(phasetype.MMPP(hugeMatrix{1 << 20}, make([]float64, 1<<20))),
		"renewal":          err(phasetype.Renewal(zero)),
		"exponential":      err(phasetype.Exponential(0)),
		"erlang":           err(phasetype.Erlang(0, 0)),
		"huge erlang":      err(phasetype.Erlang(math.MaxInt, 1)),
		"coxian":           err(phasetype.Coxian(nil, nil)),
		"hyperexponential": err(phasetype.Hyperexponential(nil, nil)),
		"balanced":         err(phasetype.BalancedHyperexponential(0, 0)),
		"two moments":      err(phasetype.TwoMoments(0, 0)),
		"three moments":    err(phasetype.ThreeMoments(0, 0, 0)),
		"infeasible":       err(phasetype.ThreeMoments(1, 1, 7)),
		"mixture":          err(phasetype.Mixture(nil, nil)),
		"scale":            err(one.Scale(0)),
		"speedup":          err(none.Speedup(0)),
	} {
		if err == nil || strings.Count(err.Error(), "phasetype: ") != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"sum": err(phasetype.Sum()), "scale": err(zero.Scale(2)), "canonical": err(zero.Canonical()),
		"speedup": err(none.Speedup(2)),
	} {
		if err != nil {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	values := []any{zero.Alpha(), zero.Exit(), zero.T(), zero.Moment(-1), zero.Skewness(),
		zero.NumParameters(), none.D0(), none.D1(), none.Stationary(), none.AfterArrival(), none.Interarrival(),
		none.LagCorrelation(-3), none.JointMoment(1, -1), none.Dispersion(), none.InterarrivalMoment(2), new(phasetype.Law).Quantile(0.5)}
	for _, v := range values {
		if text := fmt.Sprint(v); strings.Contains(text, "NaN") {
			t.Errorf("%v of nothing", text)
		}
	}
	m, _ := phasetype.Renewal(phasetype.Must(phasetype.BalancedHyperexponential(1, 4)))
	for name, c := range map[string][2]float64{
		"moment of the zero process":       {none.InterarrivalMoment(1), 0},
		"joint moment of the zero process": {none.JointMoment(1, 1), 0},
		"correlation of the zero process":  {none.LagCorrelation(1), 0},
		"correlation with itself":          {none.LagCorrelation(0), 1},
		"highest moment":                   {m.InterarrivalMoment(math.MaxInt), math.Inf(1)},
		"correlation at the largest lag":   {m.LagCorrelation(math.MaxInt), 0},
	} {
		if c[0] != c[1] && !(math.Abs(c[0]-c[1]) < 1e-300) { // the correlation has nearly left the range of numbers
			t.Errorf("%s is %g, want %g", name, c[0], c[1])
		}
	}
	if x := zero.With(nil).Rand() + new(phasetype.Random).Rand(); x != 0 {
		t.Errorf("drew %g from nothing", x)
	}
}

// hugeMatrix is a matrix of zeros that takes no memory.
type hugeMatrix struct{ n int }

func (m hugeMatrix) Dims() (rows, cols int) { return m.n, m.n }
func (m hugeMatrix) At(i, j int) float64    { return 0 }
func (m hugeMatrix) T() mat.Matrix          { return m }

// Initial probabilities that exceed one by the tolerance, to the last digit, are normalised, and leave no negative atom.
func TestSumAtTheTolerance(t *testing.T) {
	for _, p := range []float64{1 + 1e-9, 0.999999999 + 2e-9, 1 + 1.0000000827e-9} {
		d, err := phasetype.New([]float64{p}, dense([]float64{-1}))
		if err != nil {
			continue // beyond the tolerance
		}
		if d.Atom() != 0 || d.Alpha()[0] != 1 {
			t.Errorf("%v: atom %v, initial probability %v", p, d.Atom(), d.Alpha()[0])
		}
	}
}
