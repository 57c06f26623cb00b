package explore

import "github.com/partwise/partwise/models/modelfile"

// cooldownSlider moves the mean time between repartitions. It changes no field of the model: the page asks for the policy with the
// cooldown in a question of its own.
var cooldownSlider = definition{
	key: "cooldown", group: "Resizing", label: "Cooldown between resizes", unit: duration, zero: "none", least: new(0.0),
	about: func(*modelfile.Model) (ofModel, bool) { return at(0), true },
	values: func(file *modelfile.Model) []float64 {
		return append([]float64{0}, logarithmic(runTime(file)/1e4, runTime(file)*100)...)
	},
}
