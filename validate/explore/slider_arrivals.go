package explore

import "github.com/partwise/partwise/models/modelfile"

// arrivalSCVSlider moves the squared coefficient of variation of interarrival times. The load sets their mean.
var arrivalSCVSlider = definition{
	key: "arrival_scv", group: "Jobs", label: "Variability of arrivals (SCV)", unit: number,
	about:  func(file *modelfile.Model) (ofModel, bool) { return at(file.System.Arrivals.SCV()), true },
	values: always(variabilities),
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("arrival_scv") {
			return nil
		}
		return set("arrivals", "{interarrival: {moments: {mean: 1, scv: %v}}, load: %v}", m.value("arrival_scv"), m.value("load"))
	},
}
