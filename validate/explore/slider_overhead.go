package explore

import (
	"slices"

	"github.com/partwise/partwise/models/modelfile"
)

// overheadSlider moves the mean time of a repartition. One setting has the mean and the variability of all repartitions, which are as
// many as the partitions.
var overheadSlider = definition{
	key: "overhead", group: "Resizing", label: "Resize cost", unit: duration,
	about: func(file *modelfile.Model) (ofModel, bool) {
		mean, _ := overhead(file)
		return at(mean), true
	},
	values: func(file *modelfile.Model) []float64 {
		return append([]float64{0}, logarithmic(runTime(file)/1e5, runTime(file)*2)...)
	},
	settings: func(m *moves) []modelfile.Set {
		mean, scv := m.value("overhead"), m.value("overhead_scv")
		switch {
		case !m.moved("overhead", "overhead_scv") && (!m.moved("units") || m.model["overhead"] == 0):
			return nil
		case m.value("units") == 1 || mean == 0:
			return set("dynamic", "null")
		}
		return slices.Concat(set("dynamic.shrink", "{means: %v, scv: %v}", mean, scv),
			set("dynamic.expand", "{means: %v, scv: %v}", mean, scv))
	},
}

// overheadSCVSlider moves the squared coefficient of variation of the time of a repartition, which overheadSlider sets.
var overheadSCVSlider = definition{
	key: "overhead_scv", group: "Resizing", label: "Its variability (SCV)", unit: number,
	about: func(file *modelfile.Model) (ofModel, bool) {
		_, scv := overhead(file)
		return at(scv), true
	},
	values: always(variabilities),
}

// overhead returns the average of the mean times of the repartitions that take time, and of their squared coefficients of
// variation. It returns 0 and 1 if no repartition takes time.
func overhead(file *modelfile.Model) (mean, scv float64) {
	n := 0.0
	for _, d := range slices.Concat(file.System.Shrink, file.System.Expand) {
		if !d.IsZero() {
			mean, scv, n = mean+d.Mean(), scv+d.SCV(), n+1
		}
	}
	if n == 0 {
		return 0, 1
	}
	return mean / n, scv / n
}
