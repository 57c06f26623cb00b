package explore

import "github.com/partwise/partwise/models/modelfile"

// loadSlider moves the offered load. It sets the load anew if the work or the capacity changes: the arrival rate of the model
// fits the machine and the jobs of the model alone. If the variability of arrivals moved, its slider sets the load as well.
var loadSlider = definition{
	key: "load", group: "Machine", label: "Load", unit: number, least: new(1e-6), most: new(1 - 1e-6),
	about:  func(file *modelfile.Model) (ofModel, bool) { return at(file.System.Load()), true },
	values: always(linear(0.01, 0.99, 0.01)),
	settings: func(m *moves) []modelfile.Set {
		if m.moved("arrival_scv") || !m.moved("load") && !m.rescaled() {
			return nil
		}
		return set("arrivals.load", "%v", m.value("load"))
	},
}
