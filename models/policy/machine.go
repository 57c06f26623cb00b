package policy

// Machine is the size of a machine: its nodes, and the unit that partitions are multiples of.
type Machine struct{ Nodes, Unit int }

// Partitions returns N = Nodes/Unit, the largest number of partitions; 0 if one of the two is not positive.
func (m Machine) Partitions() int {
	if m.Nodes < 1 || m.Unit < 1 {
		return 0
	}
	return m.Nodes / m.Unit
}

// Divisors returns the numbers of equal partitions that the machine can be split into, ascending.
func (m Machine) Divisors() []int {
	n := m.Partitions()
	var ks []int
	for k := 1; k <= n; k++ {
		if n%k == 0 {
			ks = append(ks, k)
		}
	}
	return ks
}
