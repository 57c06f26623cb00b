package answer

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/partwise/partwise/models/modelfile"
)

// Values are where the controls of the page are.
type Values struct {
	Units       int     `json:"units"` // partitions
	Load        float64 `json:"load"`
	Work        float64 `json:"work,omitempty"` // mean run time on one node; 0: run times were measured
	WorkSCV     float64 `json:"work_scv,omitempty"`
	Serial      float64 `json:"serial"` // of the speedup; -1: it is none of Amdahl's
	Share       float64 `json:"share"`  // of a class among all arrivals
	ArrivalSCV  float64 `json:"arrival_scv"`
	Overhead    float64 `json:"overhead"` // mean of those that cost something
	OverheadSCV float64 `json:"overhead_scv"`
}

// sliders returns the values that the slider of each control can have. Those of run times reach three decades to both sides of the
// model's.
func (c *Controls) sliders() map[string][]float64 {
	time := cmp.Or(c.Work, 3600/c.Seconds)
	scv := logarithmic(0.5, 50)
	return map[string][]float64{
		"units":        linear(1, float64(c.MostUnits), 1),
		"load":         linear(0.01, 0.99, 0.01),
		"share":        linear(0, 1, 0.01),
		"work":         logarithmic(time/1000, time*1000),
		"work_scv":     scv,
		"serial":       linear(0, 0.5, 0.005),
		"arrival_scv":  scv,
		"overhead":     append([]float64{0}, logarithmic(time/1e5, time*2)...),
		"overhead_scv": scv,
		"cooldown":     append([]float64{0}, logarithmic(time/1e4, time*100)...),
	}
}

// linear returns the values from lo to hi in steps, to six digits.
func linear(lo, hi, step float64) (all []float64) {
	for i := range int(math.Round((hi-lo)/step)) + 1 {
		all = append(all, lo+float64(i)*step)
	}
	return rounded(all, 6)
}

// logarithmic returns values in equal ratios, to two digits.
func logarithmic(lo, hi float64) []float64 {
	const steps = 120
	return rounded(floats.LogSpan(make([]float64, steps+1), lo, hi), 2)
}

// rounded rounds numbers to so many digits.
func rounded(all []float64, digits int) []float64 {
	for i, v := range all {
		all[i], _ = strconv.ParseFloat(strconv.FormatFloat(v, 'e', digits-1, 64), 64) // of a number
	}
	return all
}

// settings returns what the values change in the model, as --set does; c is what it has.
func (v *Values) settings(c *Controls) (all []modelfile.Set) {
	add := func(path, format string, values ...any) {
		all = append(all, modelfile.Set{Path: path, Value: fmt.Sprintf(format, values...)})
	}
	if v.Units != c.Units {
		add("machine.nodes", "%d", v.Units*c.MinNodes)
	}
	if v.Work != c.Work || v.WorkSCV != c.WorkSCV {
		add("jobs.demand", "{moments: {mean: %v, scv: %v}}", v.Work, v.WorkSCV)
	}
	switch {
	case v.Serial == c.Serial:
	case v.Serial == 0:
		add("jobs.speedup", "linear")
	default:
		add("jobs.speedup", "{amdahl: {serial: %v}}", v.Serial)
	}
	if c.Class != "" && v.Share != c.Share {
		add(c.SharePath, "{of_all: %v}", v.Share)
	}
	if v.ArrivalSCV != c.ArrivalSCV {
		add("arrivals", "{interarrival: {moments: {mean: 1, scv: %v}}, load: %v}", v.ArrivalSCV, v.Load)
	} else if v.Load != c.Load || len(all) > 0 { // the rate of the model is that of its own machine and jobs
		add("arrivals.load", "%v", v.Load)
	}
	switch { // times of repartitions, where a value or the number of them differs
	case v.Overhead == c.Overhead && v.OverheadSCV == c.OverheadSCV && (v.Units == c.Units || c.Overhead == 0):
	case v.Units == 1 || v.Overhead == 0:
		add("dynamic", "null")
	default:
		add("dynamic.shrink", "{means: %v, scv: %v}", v.Overhead, v.OverheadSCV)
		add("dynamic.expand", "{means: %v, scv: %v}", v.Overhead, v.OverheadSCV)
	}
	return all
}
