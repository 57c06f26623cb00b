package advise

import (
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/models/workload/joblog"
	"github.com/partwise/partwise/validate/machine"
)

// LongLog is the workload of a long log, however few jobs it has.
func LongLog(log *joblog.List, shape workload.Shape) machine.Workload { return longLog{log, shape} }
