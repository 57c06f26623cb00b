package explore

import (
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
)

// serialSlider moves the serial share of Amdahl's speedup. A model with another speedup has no value, and a move replaces the
// speedup.
var serialSlider = definition{
	key: "serial", group: "Jobs", label: "Serial share (Amdahl)", unit: share, rescales: true,
	about: func(file *modelfile.Model) (ofModel, bool) {
		of := ofModel{Missing: "as in the model"}
		switch speedup := file.System.Speedup.(type) {
		case workload.Amdahl:
			of = at(speedup.Serial)
		case workload.Linear:
			of = at(0)
		}
		of.Off = measured(file)
		return of, true
	},
	values: always(linear(0, 0.5, 0.005)),
	settings: func(m *moves) []modelfile.Set {
		switch serial := m.value("serial"); {
		case !m.moved("serial"):
			return nil
		case serial == 0:
			return set("jobs.speedup", "linear")
		default:
			return set("jobs.speedup", "{amdahl: {serial: %v}}", serial)
		}
	},
}
