package phasetype_test

import (
	"context"
	"encoding/json"
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
		{"exit", dist(phasetype.FromRates([]float64{1, 0}, good, []float64{0, -2})), "exit[1]", "-2"},
		{"rate", dist(phasetype.Exponential(0)), "rate", "positive"},
		{"erlang phases", dist(phasetype.Erlang(0, 1)), "phases", "between"},
		{"erlang mean", dist(phasetype.Erlang(2, -1)), "mean", "-1"},
		{"weights", dist(phasetype.Hyperexponential([]float64{1, -1}, []float64{1, 1})), "weights[1]", "-1"},
		{"weights sum", dist(phasetype.Hyperexponential([]float64{0}, []float64{1})), "weights", "sum"},
		{"no weights", dist(phasetype.Hyperexponential(nil, nil)), "weights", "none"},
		{"means", dist(phasetype.Hyperexponential([]float64{1, 1}, []float64{1, 0})), "means[1]", "positive"},
		{"means length", dist(phasetype.Hyperexponential([]float64{1, 1}, []float64{1})), "means", "2 weights"},
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
		{"minimum", dist(phasetype.Minimum(big, big)), "alpha", "360000"},
		{"mixture", dist(phasetype.Mixture([]float64{1}, nil)), "weights", "0 distributions"},
		{"renewal", process(phasetype.Renewal(atom)), "alpha", "zero"},
		{"map sizes", process(phasetype.NewMAP(good, dense([]float64{1}))), "D1", "1×1"},
		{"map row", process(phasetype.NewMAP(dense([]float64{-1}), dense([]float64{2}))), "D0[0][0]", "add up to 2"},
		{"map D1", process(phasetype.NewMAP(dense([]float64{1}), dense([]float64{-1}))), "D1[0][0]", "-1"},
		{"map reducible", process(phasetype.NewMAP(dense([]float64{-2, 1}, []float64{0, -1}),
			dense([]float64{1, 0}, []float64{0, 1}))), "D0[1]", "reach"},
		{"no arrivals", process(phasetype.NewMAP(dense([]float64{-1, 1}, []float64{1, -1}), mat.NewDense(2, 2, nil))), "D1", "no arrivals"},
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

func TestRefusedJSON(t *testing.T) {
	for in, want := range map[string]string{
		`[1]`:                                 "phasetype: JSON: array found, but an object is expected",
		`{"alpha":[1],"T":[[-1,0]]}`:          "phasetype: T[0]: has 2 entries, there are 1 rows",
		`{"alpha":[1]}`:                       "phasetype: T: is missing or empty",
		`{"alpha":[],"T":[[-1]]}`:             "phasetype: alpha: no phases",
		`{"alpha":[1],"T":[[1]]}`:             "phasetype: T[0][0]: the diagonal must be negative, got 1",
		`{"alpha":[1],"T":[[-1]],"exit":[2]}`: "phasetype: T[0][0]: is -1; the other rates and the exit of the row add up to 2",
	} {
		var d phasetype.Dist
		if err := json.Unmarshal([]byte(in), &d); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
	var d phasetype.Dist
	if err := json.Unmarshal([]byte(`{"alpha":["x"],"T":[[-1]]}`), &d); err == nil || !strings.Contains(err.Error(), "alpha") {
		t.Errorf("text in alpha: %v", err)
	}
}

// TestNothing: nil and zero arguments of all exported functions and methods give an error or a value, never a panic,
// and the prefix of a message occurs once.
func TestNothing(t *testing.T) {
	var zero phasetype.Dist
	var none phasetype.MAP
	var missing context.Context
	var noMatrix *mat.Dense
	one := phasetype.Must(phasetype.Exponential(1))
	err := func(_ any, err error) error { return err }
	_, _, noSurvival := phasetype.FeldmannWhitt(nil, phasetype.Range{})
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
		"path":             err(none.With(nil)),
		"exponential":      err(phasetype.Exponential(0)),
		"erlang":           err(phasetype.Erlang(0, 0)),
		"huge erlang":      err(phasetype.Erlang(math.MaxInt, 1)),
		"coxian":           err(phasetype.Coxian(nil, nil)),
		"hyperexponential": err(phasetype.Hyperexponential(nil, nil)),
		"balanced":         err(phasetype.BalancedHyperexponential(0, 0)),
		"two moments":      err(phasetype.TwoMoments(0, 0)),
		"three moments":    err(phasetype.ThreeMoments(0, 0, 0)),
		"no order":         err(phasetype.ThreeMomentsUpTo(0, 1, 2, 6)),
		"infeasible":       err(phasetype.ThreeMomentsUpTo(1, 1, 2, 7)),
		"mixture":          err(phasetype.Mixture(nil, nil)),
		"scale":            err(one.Scale(0)),
		"speedup":          err(none.Speedup(0)),
		"thin":             err(none.Thin(0)),
		"survival":         noSurvival,
		"compare":          err(phasetype.Compare(missing, one, one)),
		"reduce":           err(one.Reduce(missing, 0)),
		"json":             new(phasetype.Dist).UnmarshalJSON(nil),
		"json of a map":    new(phasetype.MAP).UnmarshalJSON([]byte("7")),
	} {
		if err == nil || strings.Count(err.Error(), "phasetype: ") != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"sum": err(phasetype.Sum()), "minimum": err(phasetype.Minimum(zero, zero)),
		"maximum": err(phasetype.Maximum(zero, zero)),
		"scale":   err(zero.Scale(2)), "canonical": err(zero.Canonical()), "reduce": err(zero.Reduce(t.Context(), -1)),
		"compare": err(phasetype.Compare(t.Context(), zero, one)), "superpose": err(phasetype.Superpose(none, none)),
		"speedup": err(none.Speedup(2)), "thin": err(none.Thin(0.5)),
		"json": err(zero.MarshalJSON()), "json of a map": err(none.MarshalJSON()),
	} {
		if err != nil {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
	if _, _, ok := phasetype.ThirdMomentBounds(0, 0, 0); ok {
		t.Error("order 0 has third moments")
	}
	for _, m := range [][2]float64{{0, 1}, {-1, 2}, {1, math.Inf(1)}, {math.NaN(), 1}, {1, math.NaN()}} {
		if _, _, ok := phasetype.ThirdMomentBounds(3, m[0], m[1]); ok {
			t.Errorf("moments %v have third moments", m)
		}
	}
	values := []any{zero.Alpha(), zero.Exit(), zero.T(), zero.Moment(-1), zero.Skewness(), zero.Acyclic(),
		zero.NumParameters(), none.D0(), none.D1(), none.Stationary(), none.AfterArrival(), none.Interarrival(),
		none.LagCorrelation(-3), none.JointMoment(1, -1), none.Dispersion(), none.InterarrivalMoment(2), new(phasetype.Law).Quantile(0.5)}
	for _, v := range values {
		if text := fmt.Sprint(v); strings.Contains(text, "NaN") {
			t.Errorf("%v of nothing", text)
		}
	}
	if x := zero.With(nil).Rand() + new(phasetype.Random).With(nil).Rand() + new(phasetype.Random).Rand(); x != 0 {
		t.Errorf("drew %g from nothing", x)
	}
	if x := new(phasetype.Path).With(nil).Next(); !math.IsInf(x, 1) {
		t.Errorf("an arrival after %g of nothing", x)
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
