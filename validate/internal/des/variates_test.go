package des_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/partwise/partwise/phasetype"
	"github.com/partwise/partwise/validate/internal/des"
)

const draws = 200_000

// moments returns the first two moments of what draw returns.
func moments(draw func() float64) (m1, m2 float64) {
	for range draws {
		x := draw()
		m1 += x / draws
		m2 += x * x / draws
	}
	return m1, m2
}

// Times have the moments of their distribution, an atom at zero among them: four standard errors.
func TestTimesHaveTheMomentsOfTheirDistribution(t *testing.T) {
	atom := phasetype.Must(phasetype.New([]float64{0.5}, mat.NewDense(1, 1, []float64{-1})))
	for name, d := range map[string]phasetype.Dist{
		"exponential":      phasetype.Must(phasetype.Exponential(2)),
		"Erlang":           phasetype.Must(phasetype.Erlang(30, 3)),
		"hyperexponential": phasetype.Must(phasetype.BalancedHyperexponential(1, 9)),
		"Coxian":           phasetype.Must(phasetype.Coxian([]float64{1, 2, 3}, []float64{0.5, 0.9})),
		"half zero":        atom,
	} {
		times, s := des.NewTimes(d), des.Seed(5).Stream()
		m1, m2 := moments(func() float64 { return times.Draw(&s) })
		want1, want2, want4 := d.Moment(1), d.Moment(2), d.Moment(4)
		if e := math.Sqrt((want2 - want1*want1) / draws); math.Abs(m1-want1) > 4*e {
			t.Errorf("%s: mean %v, want %v ± %v", name, m1, want1, e)
		}
		if e := math.Sqrt((want4 - want2*want2) / draws); math.Abs(m2-want2) > 4*e {
			t.Errorf("%s: second moment %v, want %v ± %v", name, m2, want2, e)
		}
	}
}

// What is identically zero takes no time and no random number.
func TestTimesOfNoLength(t *testing.T) {
	var zero phasetype.Dist
	s := des.Seed(1).Stream()
	before := s
	if times := des.NewTimes(zero); times != nil || times.Draw(&s) != 0 || s != before {
		t.Error("a time that is always zero was drawn")
	}
}

// A list is numbered from 1; what is missing in it takes no time.
func TestTimesList(t *testing.T) {
	one := phasetype.Must(phasetype.Exponential(1))
	list := des.NewTimesList([]phasetype.Dist{one, {}, one, one}, 3)
	var there []bool
	for _, times := range list {
		there = append(there, times != nil)
	}
	if len(there) != 4 || there[0] || !there[1] || there[2] || !there[3] {
		t.Errorf("%v", there)
	}
	if list := des.NewTimesList(nil, 2); len(list) != 3 || list[1] != nil {
		t.Errorf("%v", list)
	}
}

// Targets come as often as their weights say, of a few and of many, and those of weight 0 never: four standard errors.
func TestChoices(t *testing.T) {
	for _, n := range []int{1, 2, 5, 40} {
		row := mat.NewDense(1, n+1, nil)
		total := float64(n*(n+1)) / 2
		for j := range n {
			row.Set(0, j+1, float64(j+1)/total)
		}
		c := des.Rows(row)[0]
		s := des.Seed(uint64(n)).Stream()
		seen := make([]float64, n+1)
		for range draws {
			seen[c.Pick(&s)]++
		}
		for j, x := range seen {
			p := row.At(0, j)
			if math.Abs(x/draws-p) > 4*math.Sqrt(p*(1-p)/draws) {
				t.Errorf("%d targets: %d was drawn %v times of %d, want a share of %v", n, j, x, draws, p)
			}
		}
	}
	if des.Rows(nil) != nil {
		t.Error("rows of no matrix")
	}
}

// A choice of one target takes no random number, so that chains with and without phases see the same numbers.
func TestTheOnlyTargetIsNotDrawn(t *testing.T) {
	c := des.Rows(mat.NewDense(1, 2, []float64{0, 1}))[0]
	s := des.Seed(1).Stream()
	before := s
	if c.Pick(&s) != 1 || s != before {
		t.Error("a random number was drawn")
	}
}

// Arrivals have the rate of their process, and the times between those of a renewal process its distribution: four
// standard errors. The number of arrivals of the modulated process has the asymptotic index of dispersion
//
//	1 + 2·π₁·π₂·(λ₁ − λ₂)²/((q₁ + q₂)·λ) = 1 + 2·¾·¼·3.5²/(0.4·1.375) = 9.35,
//
// by which the variance of the mean of many times is larger than without correlation and modulation.
func TestArrivals(t *testing.T) {
	erlang := phasetype.Must(phasetype.Erlang(3, 0.5))
	renewal, err := phasetype.Renewal(erlang)
	if err != nil {
		t.Fatal(err)
	}
	a := des.NewArrivals(renewal)
	a.Begin(des.Seed(2))
	a.Gap() // the process begins between two arrivals
	m1, m2 := moments(a.Gap)
	if e := math.Sqrt(erlang.Moment(2)-m1*m1) / math.Sqrt(draws); math.Abs(m1-0.5) > 4*e {
		t.Errorf("mean %v, want 0.5 ± %v", m1, e)
	}
	if e := math.Sqrt((erlang.Moment(4) - m2*m2) / draws); math.Abs(m2-erlang.Moment(2)) > 4*e {
		t.Errorf("second moment %v, want %v ± %v", m2, erlang.Moment(2), e)
	}
	mmpp, err := phasetype.MMPP(mat.NewDense(2, 2, []float64{-0.1, 0.1, 0.3, -0.3}), []float64{0.5, 4})
	if err != nil {
		t.Fatal(err)
	}
	b := des.NewArrivals(mmpp)
	b.Begin(des.Seed(2))
	if mean, _ := moments(b.Gap); math.Abs(mean*mmpp.Rate()-1) > 4*math.Sqrt(9.35/draws) {
		t.Errorf("mean %v, want %v", mean, 1/mmpp.Rate())
	}
}

// Poisson arrivals have the exponential numbers of their stream, over the rate, also when they begin anew within a block.
func TestPoissonArrivals(t *testing.T) {
	const rate = 3
	poisson, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(rate)))
	if err != nil {
		t.Fatal(err)
	}
	a := des.NewArrivals(poisson)
	for seed, n := range []int{100, 64, 1, 200} {
		a.Begin(des.Seed(uint64(seed)))
		s := des.Seed(uint64(seed)).Stream()
		for i := range n {
			if got, want := a.Gap(), s.Exp()/rate; got != want {
				t.Fatalf("seed %d: time %d is %v, want %v", seed, i, got, want)
			}
		}
	}
}

// The phase in which arrivals begin is stationary: over many beginnings the first arrival comes after the residual time
// of a gap, m2/(2·m1) on average. Four standard errors.
func TestArrivalsBeginInTheStationaryPhase(t *testing.T) {
	gap := phasetype.Must(phasetype.BalancedHyperexponential(1, 4))
	renewal, err := phasetype.Renewal(gap)
	if err != nil {
		t.Fatal(err)
	}
	a, key := des.NewArrivals(renewal), des.Seed(7)
	i := uint64(0)
	m1, m2 := moments(func() float64 {
		i++
		a.Begin(key.At(i))
		return a.Gap()
	})
	want := gap.Moment(2) / (2 * gap.Moment(1))
	if e := math.Sqrt((m2 - m1*m1) / draws); math.Abs(m1-want) > 4*e {
		t.Errorf("mean of the first %v, want %v ± %v", m1, want, e)
	}
}
