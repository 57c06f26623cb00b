package explore

import (
	"context"

	"github.com/partwise/partwise/models/modelfile"
)

// Controls describe the sliders with which the page varies a model. They answer the question controls, see [To].
type Controls struct {
	Seconds  float64  `json:"seconds"`   // number of seconds in the time unit of the model
	MinNodes int      `json:"min_nodes"` // number of nodes of the smallest partition
	Sliders  []slider `json:"sliders"`   // in the order of the page
}

// controls answers with the controls of a model.
func controls(_ context.Context, _ *Question, file *modelfile.Model) (any, error) {
	return newControls(sliders, file), nil
}

// newControls returns the controls that a table of sliders gives for a model.
func newControls(table []definition, file *modelfile.Model) *Controls {
	c := &Controls{Seconds: file.TimeUnit.Seconds, MinNodes: file.System.MinNodes}
	for i := range table {
		if s, ok := table[i].slider(file); ok {
			c.Sliders = append(c.Sliders, s)
		}
	}
	return c
}
