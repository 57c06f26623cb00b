package explore

import "github.com/partwise/partwise/models/modelfile"

// workSlider moves the mean run time on one node, over three decades to both sides of the model's. One setting has mean and
// variability.
var workSlider = definition{
	key: "work", group: "Jobs", label: "Run time on one node", unit: duration, rescales: true,
	about: func(file *modelfile.Model) (ofModel, bool) {
		return ofDemand(file, func() float64 { return file.System.Demand.Mean() }), true
	},
	values: func(file *modelfile.Model) []float64 { return logarithmic(runTime(file)/1000, runTime(file)*1000) },
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("work", "work_scv") {
			return nil
		}
		return set("jobs.demand", "{moments: {mean: %v, scv: %v}}", m.value("work"), m.value("work_scv"))
	},
}

// workSCVSlider moves the squared coefficient of variation of run times, which workSlider sets.
var workSCVSlider = definition{
	key: "work_scv", group: "Jobs", label: "Their variability (SCV)", unit: number, rescales: true,
	about: func(file *modelfile.Model) (ofModel, bool) {
		return ofDemand(file, func() float64 { return file.System.Demand.SCV() }), true
	},
	values: always(variabilities),
}

// ofDemand returns what a model says of a slider of run times, whose value is a moment of the demand if the model has one demand.
func ofDemand(file *modelfile.Model, moment func() float64) ofModel {
	off, missing := measured(file), "measured"
	if len(file.System.Classes) > 1 {
		missing = "by class"
	}
	if off != "" {
		return ofModel{Missing: missing, Off: off}
	}
	return at(moment())
}
