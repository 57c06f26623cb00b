package phasetype_test

import (
	"fmt"
	"log"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/testdata/phtest"
)

func TestMinimumAndMaximum(t *testing.T) {
	ok := must(t)
	a, b := ok(phasetype.Exponential(2)), ok(phasetype.Exponential(3))
	low, high := ok(phasetype.Minimum(a, b)), ok(phasetype.Maximum(a, b))
	approx(t, "E min", low.Mean(), 0.2, ulps)
	approx(t, "E max", high.Mean(), 1./2+1./3-1./5, ulps)
	atom := ok(phasetype.Mixture([]float64{1, 3}, []phasetype.Dist{a, {}}))
	most, least := ok(phasetype.Maximum(atom, b)), ok(phasetype.Minimum(atom, b))
	approx(t, "E max with an atom", most.Mean(), .75/3+.25*high.Mean(), ulps)
	approx(t, "E min with an atom", least.Mean(), .25*.2, ulps)
	for _, d := range []phasetype.Dist{low, high, most, least} {
		if err := checkDist(d); err != nil {
			t.Error(err)
		}
	}
	if !ok(phasetype.Minimum(a, phasetype.Dist{})).IsZero() {
		t.Error("the smaller of a variable and 0 is not 0")
	}
	big := ok(phasetype.Erlang(600, 1))
	for name, of := range map[string]func(a, b phasetype.Dist) (phasetype.Dist, error){
		"minimum": phasetype.Minimum, "maximum": phasetype.Maximum,
	} {
		if _, err := of(big, big); err == nil {
			t.Errorf("the %s of 600 and 600 phases is accepted", name)
		}
	}
}

// TestMinMaxProperty: min + max = sum, in the mean; the smaller exceeds x if both do.
func TestMinMaxProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := phtest.Dist(t, 4), phtest.Dist(t, 4)
		low, err := phasetype.Minimum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		high, err := phasetype.Maximum(a, b)
		if err != nil {
			t.Fatal(err)
		}
		got, want := low.Mean()+high.Mean(), a.Mean()+b.Mean()
		if math.Abs(got-want) > 2e-9*want { // alpha renormalised where an atom is below 1e-9
			t.Errorf("E min + E max = %g, E a + E b = %g", got, want)
		}
		x := (a.Mean() + b.Mean()) / 2
		if got, want := low.Survival(x), a.Survival(x)*b.Survival(x); math.Abs(got-want) > 2e-9 {
			t.Errorf("P(min > x) = %g, product %g", got, want)
		}
	})
}

// TestSuperpose: rates add up, and so do the variances of the counts, of which the index of dispersion is the limit.
func TestSuperpose(t *testing.T) {
	a, err := phasetype.Renewal(phasetype.Must(phasetype.Erlang(2, 1)))
	if err != nil {
		t.Fatal(err)
	}
	b, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-1, 1, 2, -2}), []float64{4, 0})
	if err != nil {
		t.Fatal(err)
	}
	m, err := phasetype.Superpose(a, b)
	if err != nil {
		t.Fatal(err)
	}
	approx(t, "rate", m.Rate(), a.Rate()+b.Rate(), ulps)
	approx(t, "dispersion", m.Dispersion(), (a.Rate()*a.Dispersion()+b.Rate()*b.Dispersion())/m.Rate(), 1e-13)
	if alone, err := phasetype.Superpose(phasetype.MAP{}, a); err != nil || alone.Rate() != a.Rate() {
		t.Errorf("with nothing: rate %g, %v", alone.Rate(), err)
	}
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

// The jobs of two communities that share a machine.
func ExampleSuperpose() {
	regular, err := phasetype.Renewal(phasetype.Must(phasetype.Erlang(4, 1)))
	if err != nil {
		log.Fatal(err)
	}
	random, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(2)))
	if err != nil {
		log.Fatal(err)
	}
	all, err := phasetype.Superpose(regular, random)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d phases, rate %.3g, dispersion %.3f\n", all.Phases(), all.Rate(), all.Dispersion())
	// Output: 4 phases, rate 3, dispersion 0.750
}
