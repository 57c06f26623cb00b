package explore

import (
	"fmt"

	"github.com/partwise/partwise/models/modelfile"
)

// shareSlider moves the share of the class of jobs that can use most nodes, among all arrivals. Models with one class do not have it.
var shareSlider = definition{
	key: "share", group: "Jobs", unit: share, rescales: true,
	labelOf: func(file *modelfile.Model) string {
		return fmt.Sprintf("Share of jobs: %s", file.System.Classes[file.System.Widest()].Name)
	},
	about: func(file *modelfile.Model) (ofModel, bool) {
		classes, all := file.System.Classes, 0.0
		if len(classes) <= 1 {
			return ofModel{}, false
		}
		for _, class := range classes {
			all += class.Share
		}
		return at(classes[file.System.Widest()].Share / all), true
	},
	values: always(linear(0, 1, 0.01)),
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("share") {
			return nil
		}
		return set(fmt.Sprintf("jobs.classes[%d].share", m.file.System.Widest()), "{of_all: %v}", m.value("share"))
	},
}
