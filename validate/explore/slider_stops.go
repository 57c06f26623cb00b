package explore

import (
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
)

// stopsSlider chooses who stands still during a repartition.
var stopsSlider = definition{
	key: "stops", group: "Resizing", label: "Who stops", unit: number, whole: true,
	choices: []string{"all jobs", "resized jobs"},
	about: func(file *modelfile.Model) (ofModel, bool) {
		of := at(0)
		if file.System.Stops == models.ResizedStop {
			of = at(1)
		}
		if len(file.System.Classes) > 1 {
			of.Off = "With several classes of jobs, there is only the chain in which all jobs stop."
		}
		return of, true
	},
	values: always([]float64{0, 1}),
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("stops") {
			return nil
		}
		stops := models.AllStop
		if m.value("stops") > 0 {
			stops = models.ResizedStop
		}
		return set("dynamic.stops", "%s", stops)
	},
}
