package validate

import (
	"math"
	"slices"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/internal/batches"
	"github.com/partwise/partwise/validate/metric"
)

// Row holds the values of one measure by the analytic model and by the simulation, and the test of their difference.
type Row struct {
	Class     string // of the jobs that the measure is of; empty for all jobs
	Measure   string
	Analytic  float64
	Simulated float64
	Low, High float64
	StdErr    float64
	Z         float64 // (simulated − analytic)/standard error
	DF        int
	P         float64 // probability of such a difference, or a larger one, if they agree, see [Compare]; NaN if there is no test
	Judged    bool    // false if Analytic is not known, or if the estimate rests on too few events for its Z to mean anything
	Pass      bool    // not rejected; always true of a row that is not judged
	// JobsNeeded is the number of jobs of a simulation that would most likely judge a row with too few events. It is 0 if the row
	// is judged, or if neither solution nor simulation tells.
	JobsNeeded int64
	// Detectable is the relative error of Analytic that the test would have noticed with a probability of 80 %. It is 0
	// if the test would have noticed no error, or if the simulation is exact.
	Detectable float64

	lengthening float64 // JobsNeeded as a multiple of the jobs of the simulation
}

// Difference returns the relative difference (simulated − analytic)/analytic; NaN if the analytic value is 0.
func (r *Row) Difference() float64 {
	if r.Analytic == 0 {
		return math.NaN()
	}
	return r.Simulated/r.Analytic - 1
}

// Comparison is the verdict over all measures of a policy.
type Comparison struct {
	Policy   policy.Policy
	Fidelity Fidelity // of the simulation
	Rows     []Row
	Pass     bool // rows were judged, and none is rejected
}

// Failure returns the first rejected row; nil if no row is rejected. At machine fidelity it returns nil: whole nodes
// are another machine than the model has, so differences are no errors. At divided fidelity differences are errors.
func (c *Comparison) Failure() *Row {
	if c.Fidelity == MachineFidelity {
		return nil
	}
	return c.first(func(r *Row) bool { return !r.Pass })
}

// OfClass returns the row of a measure of a class, or of all jobs if class is empty; nil if there is no such row.
func (c *Comparison) OfClass(class, name string) *Row {
	return c.first(func(r *Row) bool { return r.Measure == name && r.Class == class })
}

// first returns the first row with a property; nil if no row has it.
func (c *Comparison) first(is func(*Row) bool) *Row {
	for i := range c.Rows {
		if is(&c.Rows[i]) {
			return &c.Rows[i]
		}
	}
	return nil
}

// TooShort returns how many measures the simulation is too short to judge, and the number of jobs that would do for all of
// them. The number of jobs is 0 if it is not known for one of them.
func (c *Comparison) TooShort() (measures int, jobs int64) {
	told := true
	for i := range c.Rows {
		if r := &c.Rows[i]; r.lengthening > 0 {
			measures, jobs, told = measures+1, max(jobs, r.JobsNeeded), told && r.JobsNeeded > 0
		}
	}
	if !told {
		return measures, 0
	}
	return measures, jobs
}

// Detectable returns the rows with the smallest and the largest detectable error, nil if no row has one.
func (c *Comparison) Detectable() (least, most *Row) {
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Detectable > 0 && (least == nil || r.Detectable < least.Detectable) {
			least = r
		}
		if r.Detectable > 0 && (most == nil || r.Detectable > most.Detectable) {
			most = r
		}
	}
	return least, most
}

// EnoughJobs is the number of jobs of each policy that a simulation should have to be compared with a solution. So many
// jobs reveal an error of 3 % in an overhead or a service time.
const EnoughJobs = 10_000_000

// minEvents is the smallest number of events that an estimate must rest on to be judged. The mean of fewer events is
// skewed, so Z is far from Student's distribution. A measure that a simulation hardly ever sees, such as the waiting of
// one job in a hundred thousand, is reported and not judged.
const minEvents = 400

// minClusters and minExpectedClusters are the smallest numbers of clusters that an estimate below the analytic value
// must rest on to be judged. Events come in clusters: many jobs wait while the machine is full, then none for a long
// time. If equal clusters come at random, their number is about (Simulated/StdErr)². If the analytic value is true, the
// number is Analytic/Simulated times as large. One of the two numbers must be large enough.
//
// A sample that misses the large clusters has a low mean and a low standard error. A test at the level 0.1 % rejected
// 0.2 to 0.4 % of samples of 400 or 1,000 busy periods of M/M/1, at loads of 0.6 and 0.85. It rejected 5.7 % of samples
// of 200 busy periods at a load of 0.95. With these limits and √q, see [Compare], it rejects less than 0.1 %.
const (
	minClusters         = 100
	minExpectedClusters = 400
)

// exact is the relative difference that counts as 0 where the simulation shows no variation at all. An example is the
// share of repartitions in a machine without repartitions. It leaves room for the rounding error of the solver.
const exact = 1e-9

// Compare compares the measures that both the analytic model and a simulation of the same policy have. Rows over all
// jobs come first, in the order of the simulation, then the rows of each class.
//
// Holm's procedure tests the rows at the family-wise level alpha: if model and simulator agree, the verdict is "fail"
// with probability at most alpha. An alpha that is not between 0 and 1 stands for 1 %. A measure that the model does
// not know is NaN, and its row is not judged.
//
// The p-value of a row is Student's, with two corrections. The statistic is corrected for the skewness of the
// replications. If the analytic value exceeds the simulated one by the factor q, the standard error is multiplied by √q
// and the skewness divided by √q. Both are what they would be at the analytic value for a sum of random clusters: its
// mean, variance and third central moment are proportional to the number of clusters.
func Compare(analytic models.Measures, sim Simulation, alpha float64) Comparison {
	if !(alpha > 0 && alpha < 1) {
		alpha = 0.01
	}
	c := Comparison{Policy: sim.Policy, Fidelity: sim.Fidelity}
	for _, e := range sim.Measures {
		if v, solved := analytic.Of(e.Name); solved {
			frequency, known := analytic.Of(e.frequency)
			if !known {
				frequency = math.NaN()
			}
			c.Rows = append(c.Rows, compare(v, frequency, e))
		}
	}
	c.Rows = append(c.Rows, compareClasses(analytic.Classes, sim.Classes)...)
	var judged []int
	var p []float64
	for i, r := range c.Rows {
		if r.Judged {
			judged = append(judged, i)
			p = append(p, r.P)
		}
		c.Rows[i].JobsNeeded = roundedUp(r.lengthening * float64(sim.Jobs))
	}
	for _, i := range judged {
		c.Rows[i].Detectable = c.Rows[i].detectable(alpha / float64(len(judged)))
	}
	c.Pass = len(judged) > 0
	for k, rejected := range batches.Holm(p, alpha) {
		c.Rows[judged[k]].Pass = !rejected
		c.Pass = c.Pass && !rejected
	}
	return c
}

// Unsolved returns the rows of a simulated policy that has no solution, so that it stands beside solved policies in one
// table. The rows have the measures of chains. Their analytic values are NaN, and none of them is judged.
func Unsolved(sim Simulation) Comparison {
	c := Comparison{Policy: sim.Policy, Fidelity: sim.Fidelity, Pass: true}
	for _, e := range sim.Measures {
		if slices.ContainsFunc(models.Table(), func(m measure.Measure) bool { return m.Name == e.Name }) {
			c.show("", math.NaN(), e)
		}
	}
	for _, class := range sim.Classes {
		for _, e := range class.compared() {
			c.show(class.Name, math.NaN(), e)
		}
	}
	return c
}

// show adds a row that is not judged and passes: an estimate of the jobs of a class, or of all jobs if class is empty,
// beside its analytic value. analytic is NaN if the value is not known.
func (c *Comparison) show(class string, analytic float64, e Estimate) {
	c.Rows = append(c.Rows, Row{Class: class, Measure: e.Name, Analytic: analytic, Simulated: e.Mean, Low: e.Low, High: e.High,
		StdErr: e.StdErr, DF: e.DF, P: math.NaN(), Pass: true})
}

// power is the probability with which the test notices an error of the size Row.Detectable.
const power = 0.8

// detectable returns the relative error of the analytic value that a test at the given level rejects with the
// probability power:
//
//	(t_{1−level/2} + t_power)·StdErr/|Analytic|,   t the quantiles of Student's distribution.
//
// It is 0 if the analytic value or the standard error is 0.
func (r Row) detectable(level float64) float64 {
	if r.Analytic == 0 || r.StdErr == 0 || r.DF < 1 {
		return 0
	}
	away := metric.Quantile(r.DF, 1-level/2) + metric.Quantile(r.DF, power)
	return away * r.StdErr / math.Abs(r.Analytic)
}

// compare returns the row of one measure. The row is judged if both values are known and the estimate rests on enough
// events; the row passes until Holm's procedure rejects it. frequency is the analytic value of e.frequency, NaN if it is not known.
func compare(analytic, frequency float64, e Estimate) Row {
	r := Row{Measure: e.Name, Analytic: analytic, Simulated: e.Mean, Low: e.Low, High: e.High, StdErr: e.StdErr, DF: e.DF,
		P: 1, Pass: true}
	difference := e.Mean - analytic
	switch {
	case math.IsNaN(difference):
		// not known
	case math.Abs(difference) <= exact*math.Max(math.Abs(analytic), math.Abs(e.Mean)):
		r.Judged = true
		if e.StdErr > 0 {
			r.Z = difference / e.StdErr
		}
	case e.hasFewEvents(analytic):
		r.lengthening = e.lengthening(analytic, frequency)
	case e.StdErr > 0 && e.DF > 0:
		r.Judged = true
		r.Z = difference / e.StdErr
		r.P = e.pValue(analytic)
	case e.StdErr == 0:
		r.Judged = true
		r.Z = math.Copysign(math.MaxFloat64, difference)
		r.P = 0
	}
	return r
}

// hasFewEvents reports whether the estimate rests on too few events to be judged. Events, seen or expected, must be minEvents. If
// the analytic value exceeds the estimate, the large clusters may be missing, so the clusters must be enough, too.
func (e *Estimate) hasFewEvents(analytic float64) bool {
	events := e.Count
	if e.frequency == e.Name {
		events = math.Max(events, analytic*e.exposure)
	}
	return events < minEvents || analytic > e.Mean && e.StdErr > 0 && e.missingClusters(analytic) > 1
}

// missingClusters returns by which factor a simulation must be longer to have enough clusters: minClusters that are seen, or
// minExpectedClusters that are expected. The numbers grow with the length.
func (e *Estimate) missingClusters(analytic float64) float64 {
	seen, expected := e.Mean/e.StdErr*e.Mean/e.StdErr, e.Mean/e.StdErr*analytic/e.StdErr
	return math.Min(minClusters/seen, minExpectedClusters/expected)
}

// margin is by how much longer than necessary a simulation is proposed. The number of events varies from run to run, and the
// number of clusters is estimated from the short run. M/M/8 at load 0.2 was simulated with more events than necessary: with
// 1.3 times as many, 13 of 40 simulations were still too short; with twice as many, 3 of 40; with three times as many, none of 60.
const margin = 3

// lengthening returns by which factor a simulation should be longer for an estimate of few events to be judged. Events are those
// that the solution expects, else those that were seen. The factor is +Inf if no event was seen or expected.
func (e *Estimate) lengthening(analytic, frequency float64) float64 {
	events := e.Count
	if frequency > 0 && e.exposure > 0 {
		events = frequency * e.exposure
	}
	factor := math.Max(1, minEvents/events)
	if analytic > e.Mean && e.StdErr > 0 {
		factor = math.Max(factor, e.missingClusters(analytic))
	}
	return margin * factor
}

// roundedUp returns a number rounded up to two significant digits, 0 if it is too large for an integer.
func roundedUp(x float64) int64 {
	if !(x > 0 && x < math.MaxInt64/2) {
		return 0
	}
	unit := math.Pow(10, math.Max(0, math.Floor(math.Log10(x))-1))
	return int64(math.Ceil(x/unit) * unit)
}

// pValue returns the probability of such a difference from the analytic value, or a larger one, if the analytic value is
// true. The method is that of [Compare].
func (e *Estimate) pValue(analytic float64) float64 {
	z, skewness := (e.Mean-analytic)/e.StdErr, e.Skewness
	if analytic > e.Mean && e.Mean > 0 {
		root := math.Sqrt(analytic / e.Mean)
		z, skewness = z/root, skewness/root
	}
	return batches.PValue(e.DF, batches.Unskew(z, skewness, e.DF+1))
}
