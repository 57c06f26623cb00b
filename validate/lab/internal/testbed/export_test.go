package testbed

// StartWith is [Start] of a machine whose nodes are lost if they do not answer for a while.
var StartWith = start

// Processes returns the process IDs of the nodes.
func (m *Machine) Processes() []int {
	ids := make([]int, len(m.nodes))
	for i, p := range m.nodes {
		ids[i] = p.command.Process.Pid
	}
	return ids
}
