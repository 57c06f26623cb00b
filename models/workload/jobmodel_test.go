package workload_test

import (
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	_ "github.com/partwise/partwise/testdata/phtest"
)

func TestMain(m *testing.M) { needs.Main(m) }

func made(t *testing.T, m workload.JobModel, nodes, n int) []joblog.Job {
	t.Helper()
	in, err := m.Jobs(nodes, rand.New(rand.NewPCG(7, 7)))
	if err != nil {
		t.Fatal(err)
	}
	jobs := workload.FirstJobs(in, n)
	if len(jobs) != n {
		t.Fatalf("%d jobs, want %d", len(jobs), n)
	}
	return jobs
}

// All models make jobs that can be run, in order, the same for the same random numbers.
func TestJobsOfModels(t *testing.T) {
	for _, e := range workload.JobModels() {
		t.Run(e.Name, func(t *testing.T) {
			var log []joblog.Job
			if e.FromLog {
				log = made(t, workload.Lublin99{}, 64, 2000)
			}
			m, err := e.New(log)
			if err != nil {
				t.Fatal(err)
			}
			jobs, again := made(t, m, 64, 3000), made(t, m, 64, 3000)
			last := 0.0
			for i, j := range jobs {
				if !reflect.DeepEqual(j, again[i]) {
					t.Fatalf("job %d differs: %+v, %+v", i, j, again[i])
				}
				if j.ID != i+1 || j.Submit < last || j.Run < 1 || j.Nodes() < 1 || j.Problem(64) != "" {
					t.Fatalf("%+v after one submitted at %v", j, last)
				}
				last = j.Submit
			}
		})
	}
}

// profile is what is compared of a sample of the model with that of its authors' program.
type profile struct{ serial, powers, size, logRun, logRun2, logGap float64 }

func profileOf(jobs []joblog.Job) (p profile, hours [24]float64) {
	n := float64(len(jobs))
	last := jobs[0].Submit
	for _, j := range jobs {
		size := j.Nodes()
		switch {
		case size == 1:
			p.serial += 1 / n
		case size&(size-1) == 0:
			p.powers += 1 / n
		}
		p.size += float64(size) / n
		log := math.Log(j.Run)
		p.logRun += log / n
		p.logRun2 += log * log / n
		p.logGap += math.Log(max(1, j.Submit-last)) / n
		last = j.Submit
		hours[int(j.Submit/3600)%24] += 1 / n
	}
	return p, hours
}

// A log of 10,000 jobs that the authors' program made for 256 nodes: shares, means and the daily cycle agree. The
// sample of the model is 100,000 jobs; tolerances are five standard errors of the smaller.
func TestLublinAgainstItsAuthorsProgram(t *testing.T) {
	theirs := traced(t, "lublin_256.swf.gz").Jobs
	a, hoursA := profileOf(theirs)
	b, hoursB := profileOf(made(t, workload.Lublin99{}, 256, 100_000))
	n := float64(len(theirs))
	se := func(p float64) float64 { return math.Sqrt(p * (1 - p) / n) }
	for _, c := range []struct {
		name      string
		a, b, tol float64
	}{
		{"share of serial jobs", a.serial, b.serial, 5 * se(a.serial)},
		{"share of powers of two", a.powers, b.powers, 5 * se(a.powers)},
		{"mean size", a.size, b.size, 5 * 40 / math.Sqrt(n)}, // standard deviation of sizes about 40
		{"mean logarithm of run times", a.logRun, b.logRun, 5 * math.Sqrt((a.logRun2-a.logRun*a.logRun)/n)},
		{"mean square of the same", a.logRun2, b.logRun2, 5 * 35 / math.Sqrt(n)},
		// Interarrival times of a day and the next depend on one another: not n but some n/10 independent values.
		{"mean logarithm of interarrival times", a.logGap, b.logGap, 5 * 1.8 * math.Sqrt(10/n)},
	} {
		if math.Abs(c.a-c.b) > c.tol {
			t.Errorf("%s: %.4f in the log, %.4f of the model, tolerance %.4f", c.name, c.a, c.b, c.tol)
		}
	}
	for h := range hoursA {
		if tol := 5 * math.Sqrt(3) * se(hoursA[h]); math.Abs(hoursA[h]-hoursB[h]) > tol {
			t.Errorf("hour %d: share %.4f in the log, %.4f of the model, tolerance %.4f", h, hoursA[h], hoursB[h], tol)
		}
	}
}

// Feitelson's model: serial jobs and powers of two stand out, larger jobs run longer, some jobs come again and again.
func TestFeitelson96(t *testing.T) {
	jobs := made(t, workload.Feitelson96{}, 128, 50_000)
	count := map[int]int{}
	var small, large, nSmall, nLarge float64
	runs := map[int]int{}
	for _, j := range jobs {
		count[j.Nodes()]++
		runs[j.User]++
		if j.Nodes() <= 2 {
			small, nSmall = small+j.Run, nSmall+1
		} else if j.Nodes() >= 64 {
			large, nLarge = large+j.Run, nLarge+1
		}
	}
	if count[32] < 3*count[31] || count[32] < 3*count[33] || count[1] < count[32] {
		t.Errorf("%d jobs of one node, %d of 31, %d of 32, %d of 33", count[1], count[31], count[32], count[33])
	}
	if large/nLarge < small/nSmall {
		t.Errorf("large jobs run for %.0f s, small ones for %.0f s", large/nLarge, small/nSmall)
	}
	once := 0
	for _, n := range runs {
		if n == 1 {
			once++
		}
	}
	// P(one run) = 1/ζ(2.5) = 0.7454; later runs of the last users are cut off.
	if share := float64(once) / float64(len(runs)); math.Abs(share-0.7454) > 0.02 {
		t.Errorf("%.4f of the jobs run once, want 0.7454", share)
	}
	long := made(t, workload.Feitelson96{Long: true, Small: true}, 128, 50_000)
	if profileLong, _ := profileOf(long); profileLong.size > 0.8*mean(jobs) {
		t.Errorf("mean size %.2f with more small jobs, %.2f without", profileLong.size, mean(jobs))
	}
}

func mean(jobs []joblog.Job) float64 {
	p, _ := profileOf(jobs)
	return p.size
}

// The three moments are matched, whatever distribution of two or more values they belong to, with the least order there
// is.
func TestMatchHyperErlang(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m [3]float64
		n := rapid.IntRange(2, 8).Draw(t, "values")
		least, most := math.Inf(1), 0.0
		for range n {
			x := rapid.Float64Range(0.1, 100).Draw(t, "x")
			least, most = min(least, x), max(most, x)
			for k := range m {
				m[k] += math.Pow(x, float64(k+1)) / float64(n)
			}
		}
		if most < 1.3*least {
			t.Skip("nearly all the same")
		}
		needed := max(m[1]/(m[1]-m[0]*m[0])-1, m[0]*m[2]/(m[0]*m[2]-m[1]*m[1])-2)
		h, err := workload.MatchHyperErlang(m[0], m[1], m[2])
		if err != nil && needed > 999 {
			t.Skip("but for some next to zero nearly all the same")
		}
		if err != nil {
			t.Fatal(err)
		}
		if float64(h.Order) < needed-1e-6*needed || float64(h.Order) > needed+1+1e-6*needed {
			t.Errorf("order %d, the bounds of the moments are passed at %v", h.Order, needed)
		}
		for k := range m {
			// c₁ is a quotient of differences that shrink as 1/n: up to three digits are lost.
			if got := h.Moment(k + 1); math.Abs(got-m[k]) > 1e-8*m[k] {
				t.Errorf("moment %d: %v, want %v (%+v)", k+1, got, m[k], h)
			}
		}
	})
	if _, err := workload.MatchHyperErlang(1, 1, 1); err == nil {
		t.Error("a constant has a hyper-Erlang distribution")
	}
	if _, err := workload.MatchHyperErlang(1, 0.5, 1); err == nil {
		t.Error("a negative variance is accepted")
	}
}

// The model fitted to the log of the CTC has the moments of its classes.
func TestJannOfCTC(t *testing.T) {
	log := traced(t, "CTC-SP2-cln.reconstructed.swf.gz").Jobs
	m, err := workload.FitJann97(log)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Classes) < 8 || m.Classes[0].From != 1 || m.Classes[0].To != 1 || m.Classes[2].From != 3 {
		t.Errorf("classes %d: %+v", len(m.Classes), m.Classes[0])
	}
	n, sum := 0, 0.0
	for _, j := range log {
		if j.Nodes() == 1 && j.Run > 0 {
			n++
			sum += j.Run
		}
	}
	if got, want := m.Classes[0].Run.Moment(1), sum/float64(n); math.Abs(got-want) > 1e-9*want {
		t.Errorf("mean run time of serial jobs %v, want %v", got, want)
	}
	jobs := made(t, m, 512, 200_000)
	span := jobs[len(jobs)-1].Submit / float64(len(jobs))
	whole := (log[len(log)-1].Submit - log[0].Submit) / float64(len(log))
	if math.Abs(span-whole) > 0.05*whole { // bursty arrivals: a few percent between samples of that length
		t.Errorf("mean interarrival time %v, in the log %v", span, whole)
	}
}

func traced(t *testing.T, name string) joblog.Log {
	t.Helper()
	f, err := os.Open(needs.JobLog(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := joblog.Read(f, name, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return l
}
