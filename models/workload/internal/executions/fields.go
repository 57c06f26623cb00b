package executions

import "github.com/partwise/partwise/models/workload/internal/packed"

// The places of the fields in the numbers of a record.
const (
	ID = iota
	Task
	Cluster
	Component
	StateOf
	Label
	Line
	Submit
	Wait
	Run
	Limit
	Units
	User
	Group
	Queue
	Held
	QOS
	Nodes
	CPUs
)

// timeFields are the fields that [timesOf] reads.
var timeFields = []int{Submit, Wait, Run, Limit}

// keyFields are the fields that tell one job from another, in the order of [Key.Compare].
var keyFields = []int{ID, Cluster, Task, Component}

// numbers returns the fields of a record.
func (r *Record) numbers() packed.Numbers {
	return packed.Numbers{r.ID, r.Task, uint32(r.Cluster), uint32(r.Component), uint32(r.State), uint32(r.Label), r.Line, r.Submit,
		r.Wait, r.Run, r.Limit, r.Units, r.User, r.Group, r.Queue, r.Held, r.QOS, r.Nodes, r.CPUs}
}

// recordOf returns the record with the given fields.
func recordOf(v packed.Numbers) Record {
	return Record{keyOf(&v), State(v[StateOf]), uint8(v[Label]), v[Line], timesOf(&v), v[Units], v[User], v[Group], v[Queue],
		v[Held], v[QOS], v[Nodes], v[CPUs]}
}

// keyOf returns the key of the record with the given fields.
func keyOf(v *packed.Numbers) Key {
	return Key{v[ID], v[Task], uint16(v[Cluster]), uint8(v[Component])}
}

// timesOf returns the times of the record with the given fields.
func timesOf(v *packed.Numbers) Times { return Times{v[Submit], v[Wait], v[Run], v[Limit]} }
