package explore

import (
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/workload"
)

// partitionsSlider moves the number of nodes, in partitions of the least size.
var partitionsSlider = definition{
	key: "units", group: "Machine", label: "Partitions at most", unit: partitions, whole: true, rescales: true,
	about: func(file *modelfile.Model) (ofModel, bool) {
		of := at(float64(file.System.Partitions()))
		of.Off = measured(file)
		return of, true
	},
	values: func(file *modelfile.Model) []float64 {
		return linear(float64(leastPartitions(file)), float64(mostPartitions(file)), 1)
	},
	settings: func(m *moves) []modelfile.Set {
		if !m.moved("units") {
			return nil
		}
		return set("machine.nodes", "%v", m.value("units")*float64(m.file.System.MinNodes))
	},
}

// leastPartitions returns with how many partitions the slider begins: as many as the largest rigid jobs need.
func leastPartitions(file *modelfile.Model) int {
	s := file.System
	most := s.JobNodes
	for _, c := range s.Classes {
		most = max(most, c.Nodes)
	}
	return max(1, most/s.MinNodes)
}

// mostPartitions returns how many partitions the slider reaches: 32, or as many as the model has, within the range of the speedup.
func mostPartitions(file *modelfile.Model) int {
	s := file.System
	most := max(32, s.Partitions())
	if ranged, ok := s.Speedup.(workload.Ranged); ok { // measured
		_, nodes := ranged.Range()
		most = min(most, int(nodes)/s.MinNodes)
	}
	return most
}
