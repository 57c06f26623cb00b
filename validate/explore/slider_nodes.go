package explore

import (
	"fmt"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
)

// nodesSlider moves how many nodes a rigid job asks for. With several classes it moves the class of the largest jobs. A model in
// which not all classes say their nodes does not have the slider.
var nodesSlider = definition{
	key: "job_nodes", group: "Jobs", unit: nodes, whole: true,
	labelOf: func(file *modelfile.Model) string {
		if c := largest(file.System); c >= 0 {
			return fmt.Sprintf("Nodes for a rigid job (%s)", file.System.Classes[c].Name)
		}
		return "Nodes for a rigid job"
	},
	about: func(file *modelfile.Model) (ofModel, bool) {
		s := file.System
		switch c := largest(s); {
		case c >= 0:
			return at(float64(s.Classes[c].Nodes)), s.Rigid()
		case s.JobNodes > 0:
			return at(float64(s.JobNodes)), true
		}
		return ofModel{Missing: "no rigid jobs", Off: measured(file)}, true
	},
	values: func(file *modelfile.Model) []float64 {
		unit := float64(file.System.MinNodes)
		return linear(unit, float64(file.System.Nodes), unit)
	},
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("job_nodes") {
			return nil
		}
		s := m.file.System
		asked := min(m.value("job_nodes"), m.value("units")*float64(s.MinNodes)) // the machine may have been made smaller
		if c := largest(s); c >= 0 {
			return set(fmt.Sprintf("jobs.classes[%d].nodes", c), "%v", asked)
		}
		return set("jobs.nodes", "%v", asked)
	},
}

// largest returns the index of the class whose jobs ask for most nodes, −1 without classes.
func largest(s *models.System) int {
	k := -1
	for i := range s.Classes {
		if k < 0 || s.Classes[i].Nodes > s.Classes[k].Nodes {
			k = i
		}
	}
	return k
}
