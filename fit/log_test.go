package fit

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/testdata/needs"
)

func TestMain(m *testing.M) { needs.Main(m) }

// archiveValues returns the positive values of a quantity of a log of the Parallel Workloads Archive.
func archiveValues(t testing.TB, q workload.Quantity) []float64 {
	t.Helper()
	path := needs.JobLog(t, "KTH-SP2-1996-2.merged.swf.gz")
	text, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	s, err := workload.ReadSamples(text, path, workload.Columns{Log: q})
	if err != nil {
		t.Fatal(err)
	}
	var xs []float64
	for _, x := range s.Values {
		if x > 0 {
			xs = append(xs, x)
		}
	}
	return xs
}

// TestArchiveLog fits five phases to the log of the KTH SP2 and compares with the best fits known for it, which are
// given to five decimals.
func TestArchiveLog(t *testing.T) {
	for q, least := range map[workload.Quantity]float64{workload.Interarrival: -7.24221, workload.RunTime: -8.79242} {
		c := best(t, Sample{Values: archiveValues(t, q)}, Options{MinPhases: 5, MaxPhases: 5})[5]
		t.Logf("%s: mean log-likelihood %.7f, KS %.4f, %.0f ms", q, c.MeanLogLikelihood, c.KS, 1000*c.Seconds)
		if c.MeanLogLikelihood < least-5e-6 || !c.Converged {
			t.Errorf("%s: mean log-likelihood %.7f, want %.5f; converged: %v", q, c.MeanLogLikelihood, least, c.Converged)
		}
	}
}

// TestLocalMaxima looks for better fits than those of TestArchiveLog from random starts: chains of phases with rates
// over up to fifteen decades, many of them alike, and distributions in which any phase may follow any other. It logs the maxima,
// as mean log-likelihoods, and how many of the chains reached them:
//
//	28,482 run times: −8.7924157, the fit (431); −8.794117 (517); −8.805169 (187); −8.808710 (939)
//	28,157 interarrival times: −7.2422141, the fit (985); −7.243683 (3693); −7.244570 (989); −7.245455 (30)
func TestLocalMaxima(t *testing.T) {
	needs.Study(t, "seeks better fits from thousands of starts")
	const phases, chains, cyclic = 5, 6000, 300
	for _, q := range []workload.Quantity{workload.Interarrival, workload.RunTime} {
		s := Sample{Values: archiveValues(t, q)}
		c := best(t, s, Options{MinPhases: phases, MaxPhases: phases})[phases]
		p := mustProblem(t, s)
		random := rand.New(rand.NewPCG(1, 2))
		f := &cf1Fit{p: p, quad: p.logGrid(t.Context(), splitFor(phases))}
		pr, g := newProfileLikelihood(f.quad, phases), newGeneralAscent(f.quad, phases, false, false)
		found := map[string]int{}
		note := func(kind string, mean float64) {
			mean = f.p.inUnitOfData(mean)
			found[fmt.Sprintf("%s %.6f", kind, mean)]++
			if mean > c.MeanLogLikelihood+1e-7 {
				t.Errorf("%s: %s reaches %.8f, the fit %.8f", q, kind, mean, c.MeanLogLikelihood)
			}
		}
		for range chains {
			start := reached[cf1Point]{at: cf1Point{canonical: scatteredRates(random, phases, p.average)}}
			note("chain", pr.ascend(t.Context(), start, effort{400, 1e-10}).mean)
		}
		for range cyclic {
			start := reached[dense]{at: randomDense(random, phases, p.average)}
			note("cyclic", g.ascend(t.Context(), start, effort{1500, 1e-10}).mean)
		}
		t.Logf("%s: the fit has %.8f; local maxima, and how many starts reached each: %v", q, c.MeanLogLikelihood,
			frequent(found))
	}
}

// scatteredRates returns phases of random rates; of every third, about half are alike.
func scatteredRates(random *rand.Rand, m int, mean float64) canonical {
	spread := 1 + 5*random.Float64()
	rate := func() float64 { return math.Exp(spread*random.NormFloat64()) * float64(m) / mean }
	c := geometric(m, 1, mean)
	for i := range c.rates {
		c.rates[i] = rate()
	}
	if random.IntN(3) == 0 {
		same := rate()
		for i := range c.rates {
			if random.IntN(2) == 0 {
				c.rates[i] = same * (1 + 0.02*random.Float64())
			}
		}
	}
	slices.Sort(c.rates)
	return c
}

// frequent returns what was found at least ten times.
func frequent(found map[string]int) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(found)) {
		if found[k] >= 10 {
			out = append(out, fmt.Sprintf("%s: %d", k, found[k]))
		}
	}
	return out
}
