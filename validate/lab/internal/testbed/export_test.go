package testbed

// Processes returns the process IDs of the nodes.
func (m *Machine) Processes() []int {
	ids := make([]int, len(m.nodes))
	for i, p := range m.nodes {
		ids[i] = p.command.Process.Pid
	}
	return ids
}
