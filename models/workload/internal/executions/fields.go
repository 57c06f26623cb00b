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

// toNumbers sets the fields of v to those of a record.
func (r *Record) toNumbers(v *packed.Numbers) {
	v[ID], v[Task], v[Cluster], v[Component] = r.ID, r.Task, uint32(r.Cluster), uint32(r.Component)
	v[StateOf], v[Label], v[Line] = uint32(r.State), uint32(r.Label), r.Line
	v[Submit], v[Wait], v[Run], v[Limit] = r.Submit, r.Wait, r.Run, r.Limit
	v[Units], v[User], v[Group], v[Queue] = r.Units, r.User, r.Group, r.Queue
	v[Held], v[QOS], v[Nodes], v[CPUs] = r.Held, r.QOS, r.Nodes, r.CPUs
}

// fromNumbers sets a record to the given fields.
func (r *Record) fromNumbers(v *packed.Numbers) {
	r.Key, r.Times = keyOf(v), timesOf(v)
	r.State, r.Label, r.Line = State(v[StateOf]), uint8(v[Label]), v[Line]
	r.Units, r.User, r.Group, r.Queue = v[Units], v[User], v[Group], v[Queue]
	r.Held, r.QOS, r.Nodes, r.CPUs = v[Held], v[QOS], v[Nodes], v[CPUs]
}

// keyOf returns the key of the record with the given fields.
func keyOf(v *packed.Numbers) Key {
	return Key{v[ID], v[Task], uint16(v[Cluster]), uint8(v[Component])}
}

// timesOf returns the times of the record with the given fields.
func timesOf(v *packed.Numbers) Times { return Times{v[Submit], v[Wait], v[Run], v[Limit]} }
