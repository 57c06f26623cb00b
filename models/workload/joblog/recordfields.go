package joblog

import "github.com/partwise/partwise/models/workload/internal/packed"

// The places of the fields in the numbers of a record.
const (
	idField, taskField, clusterField, componentField, stateField, labelField, lineField = 0, 1, 2, 3, 4, 5, 6
	submitField, waitField, runField, limitField, unitsField, userField, groupField     = 7, 8, 9, 10, 11, 12, 13
	queueField, heldField, qosField, nodesField, cpusField                              = 14, 15, 16, 17, 18
)

// timeFields are the fields that [timesOf] reads.
var timeFields = []int{submitField, waitField, runField, limitField}

// numbers returns the fields of a record.
func (r *record) numbers() packed.Numbers {
	return packed.Numbers{r.id, r.task, uint32(r.cluster), uint32(r.component), uint32(r.state), uint32(r.label), r.line, r.submit, r.wait,
		r.run, r.limit, r.units, r.user, r.group, r.queue, r.held, r.qos, r.nodes, r.cpus}
}

// recordOf returns the record with the given fields.
func recordOf(v packed.Numbers) record {
	return record{key{v[0], v[1], uint16(v[2]), uint8(v[3])}, state(v[4]), uint8(v[5]), v[6], times{v[7], v[8], v[9], v[10]}, v[11], v[12], v[13], v[14],
		v[15], v[16], v[17], v[18]}
}

// timesOf returns the times of the record with the given fields.
func timesOf(v *packed.Numbers) times {
	return times{v[submitField], v[waitField], v[runField], v[limitField]}
}
