package testbedcmd

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/fault"
)

// void returns an error if the processors were busy during a run: processes then wait for processors, and the times tell
// nothing about repartitions.
func (o *machineOptions) void(idle float64) error {
	if math.IsNaN(idle) || idle >= o.idle {
		return nil
	}
	return &fault.Error{Code: fault.ExitAccuracy,
		Err:  fmt.Errorf("the run is void: %.0f %% of the processors' time was idle, less than %.0f %%", 100*idle, 100*o.idle),
		Hint: "run it when nothing else runs, or with fewer nodes or longer phases"}
}
