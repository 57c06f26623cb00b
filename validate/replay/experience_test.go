package replay

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/metric"
)

func TestMain(m *testing.M) { needs.Main(m) }

// trial is a forecast from a stretch of a log, in the logarithm, beside what another stretch brought.
type trial struct {
	log    int // in shipped
	own    bool
	stderr float64
	months monthlyVariance
	loads  loadEffect // at their own loads
	error  float64    // by which the other stretch differs
}

// stretches are two parts of a log, the second of which is forecast from the first.
type stretches struct {
	log      int
	from, to []joblog.Job
	nodes    int
	unit     int
	drawn    bool // and not a part of the log
}

// trials returns the trials of the ratio and of the response time, with each share of malleable jobs.
func (s *stretches) trials(t *testing.T, load float64) (ratios, responses []trial) {
	t.Helper()
	var runs [2][]*Run
	for i, jobs := range [][]joblog.Job{s.from, s.to} {
		chosen, err := FromJobs(jobs, s.nodes)
		if err != nil {
			t.Error(err)
			return nil, nil
		}
		study := Study{Log: chosen, Unit: s.unit, Policies: []policy.Policy{policy.EASYMalleable{}},
			Loads: []float64{load}, Shares: ForecastShares(), Assumptions: Usual()}
		all, err := study.Run(t.Context(), 1)
		if err == nil && i == 0 && load == 0 {
			err = s.foretell(t.Context(), &study, all)
		}
		if err != nil {
			t.Error(err)
			return nil, nil
		}
		runs[i] = all[:len(study.Shares)] // without EASY
	}
	for k, from := range runs[0] {
		if s.drawn {
			from.months = drawnMonths
		}
		ratio, response := from.Forecasts()
		otherRatio, otherResponse := runs[1][k].Forecasts()
		of := func(f, other Forecast, own monthlyVariance, loads loadEffect) trial {
			if math.IsInf(f.HalfWidth, 0) {
				t.Errorf("%s at load %g: no interval", shippedLogs[s.log].log, load)
			}
			return trial{s.log, load == 0, f.StdErr / f.Mean, own, loads, math.Log(other.Mean / f.Mean)}
		}
		ofRatio, ofResponse := from.loadEffects()
		ratios = append(ratios, of(ratio, otherRatio, monthlyVarianceOf(from.partRatios()), ofRatio))
		responses = append(responses, of(response, otherResponse, monthlyVarianceOf(from.Log.ResponseByPart(from.months)), ofResponse))
	}
	return ratios, responses
}

// foretell is [Study.Foretell] by the logs but, if it is left out, its own.
func (s *stretches) foretell(ctx context.Context, study *Study, runs []*Run) error {
	var drifts []float64
	for i := range shippedLogs {
		if i != s.log || s.drawn {
			drifts = append(drifts, shippedLogs[i].drift)
		}
	}
	return study.foretell(ctx, 1, runs, driftLimit(drifts))
}

// archived are the logs of shipped: files, nodes, and the unit of their partitions.
var archived = []struct {
	file        string
	nodes, unit int
}{
	{"KTH-SP2-1996-2.merged", 100, 1}, {"SDSC-SP2-1998-4.reconstructed", 128, 1}, {"CTC-SP2-cln.reconstructed", 338, 1},
	{"LANL-CM5-1994-4.1-cln", 1024, 32}, {"NASA-iPSC-1993-3.1-cln", 128, 1},
}

// ofLogs returns each half of the logs beside the other half, and each quarter beside the one before, cut by time.
func ofLogs(t *testing.T) (all []stretches) {
	t.Helper()
	for i, a := range archived {
		jobs := archivedJobs(t, a.file, a.nodes)
		part := func(k, of int) []joblog.Job {
			begin, length := jobs[0].Submit, (jobs[len(jobs)-1].Submit-jobs[0].Submit)/float64(of)
			var part []joblog.Job
			for _, j := range jobs {
				if min(int((j.Submit-begin)/length), of-1) == k {
					part = append(part, j)
				}
			}
			return part
		}
		add := func(from, to, of int) {
			all = append(all, stretches{i, part(from, of), part(to, of), a.nodes, a.unit, false})
		}
		add(0, 1, 2)
		add(1, 0, 2)
		for k := range 3 {
			add(k, k+1, 4)
		}
	}
	return all
}

func archivedJobs(t *testing.T, name string, nodes int) []joblog.Job {
	t.Helper()
	f, err := os.Open(needs.JobLog(t, name+".swf.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	log, err := joblog.Read(f, name, joblog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := FromJobs(log.Jobs, nodes)
	if err != nil {
		t.Fatal(err)
	}
	jobs, err := jobsAt(chosen, 0)
	if err != nil {
		t.Fatal(err)
	}
	return jobs
}

// quantity is the trials of the ratio, or of the response time.
type quantity struct {
	name   string
	scale  float64
	trials []trial
}

// forecast makes all trials, at the loads given.
func forecast(t *testing.T, all []stretches, loads ...float64) []quantity {
	t.Helper()
	q := []quantity{{"ratio", ratioScale, nil}, {"response", responseScale, nil}}
	n := len(all) * len(loads)
	ratios, responses := make([][]trial, n), make([][]trial, n)
	if err := parallel.Each(t.Context(), n, 0, func(i int) error {
		ratios[i], responses[i] = all[i/len(loads)].trials(t, loads[i%len(loads)])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		q[0].trials, q[1].trials = append(q[0].trials, ratios[i]...), append(q[1].trials, responses[i]...)
	}
	return q
}

// outcome counts trials whose error lies within the interval, and adds up interval scores.
type outcome struct {
	n, within int
	score     float64
}

// add scores an interval of relative errors: its width, and 2/(1 − confidence) times what the error lies outside of it.
//
// Reference: T. Gneiting, A. E. Raftery, Strictly proper scoring rules, prediction, and estimation, JASA 102 (2007) 359–378,
// section 6.2.
func (o *outcome) add(low, high, err float64) {
	o.n++
	if low <= err && err <= high {
		o.within++
	}
	o.score += high - low + 2/(1-measure.Confidence)*max(0, low-err, err-high)
}

func (o *outcome) coverage() float64 { return float64(o.within) / float64(o.n) }

// judge forecasts each trial by the scale of the experience, or by that of the logs but, if it is left out, its own.
func (q *quantity) judge(leaveOut bool) (total outcome, byLog []outcome) {
	byLog = make([]outcome, len(shippedLogs))
	scales := slices.Repeat([]float64{q.scale}, len(shippedLogs))
	for i := range scales {
		if leaveOut {
			scales[i] = q.likeliest(i)
		}
	}
	for _, x := range q.trials {
		down, up := x.loads.limits(sameLoadLimit(scales[x.log], x.stderr, x.months))
		for _, o := range []*outcome{&total, &byLog[x.log]} {
			o.add(math.Expm1(-down), math.Expm1(up), math.Expm1(x.error))
		}
	}
	return total, byLog
}

// constant returns the least mean score of intervals from 1 − width to 1 + width times the forecast, the same for all trials.
func (q *quantity) constant() float64 {
	best := math.Inf(1)
	for width := 0.005; width < 3; width += 0.005 {
		var o outcome
		for _, x := range q.trials {
			o.add(-width, width, math.Expm1(x.error))
		}
		best = min(best, o.score/float64(o.n))
	}
	return best
}

// likeliest returns the scale κ of greatest likelihood for errors at the same load, by all logs but one; by all if that is none.
func (q *quantity) likeliest(without int) float64 {
	best, likeliest := math.Inf(1), 0.0
	for kappa := 0.5; kappa < 10; kappa += 0.01 {
		minusLog := 0.0
		for _, x := range q.trials {
			if x.log == without || x.own {
				continue
			}
			const df = float64(experienceFreedom)
			scale := sameLoadLimit(kappa, x.stderr, x.months) / metric.Quantile(experienceFreedom, (1+measure.Confidence)/2)
			minusLog += math.Log(scale) + (df+1)/2*math.Log1p(math.Pow(x.error/scale, 2)/df)
		}
		if minusLog < best {
			best, likeliest = minusLog, kappa
		}
	}
	return likeliest
}

// TestSameLoad: the limit is Student's quantile with 4 degrees of freedom (2.776 in tables) times the scale and the standard
// error, of a short log as of one with months that agree with experience. Months that all are alike halve the variance at most.
func TestSameLoad(t *testing.T) {
	needs.Concurrency(t)
	agree := monthlyVariance{2 * 2 * 0.1 * 0.1 / (2 * beyondMonths), 4}
	for _, c := range []struct {
		own  monthlyVariance
		want float64
	}{{monthlyVariance{}, 2.776 * 2 * 0.1}, {agree, 2.776 * 2 * 0.1}, {monthlyVariance{0, 1000}, 2.776 * math.Sqrt2 * 0.1}} {
		if got := sameLoadLimit(2, 0.1, c.own); math.Abs(got/c.want-1) > 5e-4 { // the table has four digits
			t.Errorf("%+v: %g in place of %g", c.own, got, c.want)
		}
	}
}

// TestMonths: of means e^1, e^2 and e^3, the variance of the mean of the logarithms is 1/3.
func TestMonths(t *testing.T) {
	if m := monthlyVarianceOf([]float64{math.E, math.Exp(2), math.Exp(3)}); math.Abs(m.variance-1./3) > 1e-15 || m.freedom != 2 {
		t.Errorf("%+v", m)
	}
	if m := monthlyVarianceOf([]float64{5}); m != (monthlyVariance{}) {
		t.Errorf("of one month: %+v", m)
	}
}

// TestExperience: the scales are what the halves and quarters of the shipped logs say, and those of the other logs cover each log.
func TestExperience(t *testing.T) {
	needs.Study(t, "forecasts halves and quarters of five logs")
	for _, q := range forecast(t, ofLogs(t), 0, 0.5, 0.7, 0.85) {
		if kappa := q.likeliest(-1); math.Abs(kappa-q.scale) > 0.01 { // two digits behind the point
			t.Errorf("%s: the scale is %.2f", q.name, kappa)
		}
		total, byLog := q.judge(true)
		score, constant := total.score/float64(total.n), q.constant()
		t.Logf("%s: %.1f %% of %d covered (%s); score %.3f, of one width %.3f", q.name, 100*total.coverage(), total.n,
			coverages(byLog), score, constant)
		if c := total.coverage(); c < 0.80 || c > 0.97 || score >= constant {
			t.Errorf("%s: %.1f %% covered, score %.3f", q.name, 100*c, score)
		}
		for i, o := range byLog {
			if o.coverage() < 0.65 {
				t.Errorf("%s: %s: %.1f %% covered", q.name, shippedLogs[i].log, 100*o.coverage())
			}
		}
	}
}

func coverages(byLog []outcome) string {
	var words []string
	for i, o := range byLog {
		if o.n > 0 {
			words = append(words, fmt.Sprintf("%s %.0f %%", shippedLogs[i].log, 100*o.coverage()))
		}
	}
	return strings.Join(words, ", ")
}

// variation is how the logarithm of a quantity varies in a log: by how much its means over the months differ between the halves, and
// the standard deviation of months within a half.
type variation struct{ halves, months float64 }

// course returns the logarithms of a stretch of n months. Two stretches differ as the halves do: in the mean square, by halves².
func (v variation) course(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	all := v.halves / math.Sqrt2 * r.NormFloat64()
	for i := range x {
		x[i] = all + v.months*r.NormFloat64()
	}
	return x
}

// site says how the stretches and months of a log of shipped differ: in the mean nodes and the mean run time of a job, and in the
// load. They are measured on the log by months of 30 days, those of NASA's three months of 23.
type site struct{ nodes, run, load variation }

var sites = []site{
	{variation{0.40, 0.16}, variation{0.23, 0.30}, variation{0.02, 0.13}},
	{variation{0.56, 0.35}, variation{0.17, 0.33}, variation{0.15, 0.08}},
	{variation{0.04, 0.10}, variation{0.13, 0.17}, variation{0.04, 0.07}},
	{variation{0.12, 0.12}, variation{0.18, 0.16}, variation{0.12, 0.14}},
	{variation{0.19, 0.05}, variation{0.03, 0.31}, variation{0.06, 0.29}},
}

// drawnMonths is how many months a drawn log has, of 600 jobs each: they are shorter than 30 days, so that drawing them is fast.
const drawnMonths = 6

// draw returns six months of Lublin's jobs on 64 nodes at a load of about 0.7, which differ as those of the log do.
func (s site) draw(t *testing.T, r *rand.Rand) []joblog.Job {
	t.Helper()
	const on, months, each = 64, drawnMonths, 600
	jobs, err := Lublin(r, on, months*each)
	if err != nil {
		t.Fatal(err)
	}
	nodes, run, load := s.nodes.course(months, r), s.run.course(months, r), s.load.course(months, r)
	now, last := 0.0, 0.0
	for i := range jobs {
		j, month := &jobs[i], i/each
		gap := j.Submit - last
		last = j.Submit
		now += gap * math.Exp(nodes[month]+run[month]-load[month])
		j.Submit = now
		j.Run *= math.Exp(run[month])
		j.Estimate *= math.Exp(run[month])
		j.Processors = min(max(int(math.Round(float64(j.Processors)*math.Exp(nodes[month]))), 1), on)
	}
	return jobs
}

// TestDrifts: the logits of the loads of the halves of the shipped logs, by time, differ as the table says.
func TestDrifts(t *testing.T) {
	for i, a := range archived {
		jobs := archivedJobs(t, a.file, a.nodes)
		var work [2]float64
		first, last := jobs[0].Submit, jobs[len(jobs)-1].Submit
		for _, j := range jobs {
			work[min(int(2*(j.Submit-first)/(last-first)), 1)] += j.Run * float64(j.Nodes())
		}
		of := float64(a.nodes) * (last - first) / 2
		if drift := logit(work[1]/of) - logit(work[0]/of); math.Abs(drift-shippedLogs[i].drift) > 0.0006 { // three digits behind the point
			t.Errorf("%s: %.4f", shippedLogs[i].log, drift)
		}
	}
}

// TestDriftLimit: of one difference, the limit is Student's quantile with 1 degree of freedom (12.706 in tables) times it; of ten
// equal ones, that with 10 (2.228).
func TestDriftLimit(t *testing.T) {
	one, ten := driftLimit([]float64{-0.1}), driftLimit(slices.Repeat([]float64{0.1}, 10))
	if math.Abs(one-1.2706) > 5e-5 || math.Abs(ten-0.2228) > 5e-5 { // the table has three digits
		t.Errorf("%g and %g", one, ten)
	}
}

// TestDrawnLogs: of 200 logs that differ as the stretches and months of the shipped logs do, forecasts hold as often as they say,
// within 3 of 100: the shares of a log hold or fail together, so that one standard error of one quantity at one load is 2 of 100.
// No quantity holds less often than that at any load.
func TestDrawnLogs(t *testing.T) {
	needs.Study(t, "forecasts 200 drawn logs")
	var all []stretches
	for i := range 200 {
		r, k := rand.New(rand.NewPCG(uint64(i), 1)), i%len(sites)
		all = append(all, stretches{k, sites[k].draw(t, r), sites[k].draw(t, r), 64, 1, true})
	}
	n, within := 0, 0
	for _, load := range []float64{0, 0.7} {
		for _, q := range forecast(t, all, load) {
			total, byLog := q.judge(false)
			t.Logf("%s, load %g: %.1f %% of %d covered (%s)", q.name, load, 100*total.coverage(), total.n, coverages(byLog))
			if total.coverage() < measure.Confidence-0.03 {
				t.Errorf("%s, load %g: only %.1f %% covered", q.name, load, 100*total.coverage())
			}
			n, within = n+total.n, within+total.within
		}
	}
	if coverage := float64(within) / float64(n); math.Abs(coverage-measure.Confidence) > 0.03 {
		t.Errorf("%.1f %% covered", 100*coverage)
	}
}
