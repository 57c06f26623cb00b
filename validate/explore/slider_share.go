package explore

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/models/modelfile"
)

// shareSlider moves the share of the class of jobs that can use most nodes, among all arrivals, as far as shares of all arrivals of
// other classes leave it. Models with one class do not have it, nor do those in which no other class has a weight.
var shareSlider = definition{
	key: "share", group: "Jobs", unit: share, rescales: true, least: new(0.0), mostOf: largestShare,
	labelOf: func(file *modelfile.Model) string {
		return fmt.Sprintf("Share of jobs: %s", file.System.Classes[file.System.Widest()].Name)
	},
	about: func(file *modelfile.Model) (ofModel, bool) {
		classes, all := file.System.Classes, 0.0
		if largestShare(file) == 0 {
			return ofModel{}, false
		}
		for _, class := range classes {
			all += class.Share
		}
		return at(classes[file.System.Widest()].Share / all), true
	},
	values: func(file *modelfile.Model) []float64 {
		largest := largestShare(file)
		return slices.DeleteFunc(linear(0, 1, 0.01), func(p float64) bool { return p > largest })
	},
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("share") {
			return nil
		}
		return set(fmt.Sprintf("jobs.classes[%d].share", m.file.System.Widest()), "{of_all: %v}", m.value("share"))
	},
}

// largestShare returns the largest share that the class can have, 0 if it cannot have another share.
func largestShare(file *modelfile.Model) float64 {
	largest, err := file.System.LargestShare(file.System.Widest())
	if err != nil { // of a system without classes
		return 0
	}
	return largest
}
