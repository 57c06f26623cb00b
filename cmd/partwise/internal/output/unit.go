package output

import "github.com/partwise/partwise/models/workload/joblog"

// UnitWord returns what one of the unit is called: node, CPU or GPU.
func UnitWord(unit joblog.Unit) string {
	switch unit {
	case joblog.InCPUs:
		return "CPU"
	case joblog.InGPUs:
		return "GPU"
	}
	return "node"
}
