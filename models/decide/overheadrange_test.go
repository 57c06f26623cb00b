package decide_test

import (
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/phasetype"
)

// With N partitions, arrivals begin N kinds of repartitions, and departures N − 1. Costs of other repartitions do not
// count.
func TestOverheadRange(t *testing.T) {
	of := func(mean float64) phasetype.Dist {
		d, err := phasetype.Exponential(1 / mean)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	s := &models.System{Nodes: 4, MinNodes: 2, Shrink: []phasetype.Dist{of(3), of(5), of(9)}, Expand: []phasetype.Dist{of(2), of(7)}}
	if least, most := decide.OverheadRange(s); least != 2 || most != 5 {
		t.Errorf("%v to %v, want 2 to 5", least, most)
	}
	s.Expand = nil
	if least, most := decide.OverheadRange(s); least != 0 || most != 5 {
		t.Errorf("free departures: %v to %v, want 0 to 5", least, most)
	}
	if least, most := decide.OverheadRange(new(models.System)); least != 0 || most != 0 {
		t.Errorf("without a machine: %v to %v", least, most)
	}
}
