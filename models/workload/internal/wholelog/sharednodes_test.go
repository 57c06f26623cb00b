package wholelog

import "testing"

// TestOrderOfStarts: jobs that share a node are found in the order of their starts, in the reverse order, and where a job comes
// after jobs that started later. The jobs that are kept stay few.
func TestOrderOfStarts(t *testing.T) {
	const pairs = 5000
	for name, place := range map[string]func(i int) int{
		"in order":   func(i int) int { return i },
		"in pairs":   func(i int) int { return i ^ 1 },
		"last first": func(i int) int { return 2*pairs - 1 - i },
	} {
		var s SharedNodes
		for i := range 2 * pairs { // jobs of 4 and 8 CPUs, two at a time on a node of 12 CPUs
			k := place(i)
			start := int64(1000*(k/2) + 10*(k%2))
			s.Add(NodeUse{Job: [3]uint32{uint32(k)}, On: []uint32{1}, Nodes: 1, CPUs: uint32(4 + 4*(k%2)), Start: start, End: start + 500})
		}
		if jobs, fewest, most, ok := s.Sharing(); jobs != 2*pairs || fewest != 12 || most != 12 || !ok {
			t.Errorf("%s: %d jobs share nodes of %d to %d CPUs", name, jobs, fewest, most)
		}
		if n := len(s.nodes[1].running); n > mostRunning {
			t.Errorf("%s: %d jobs are kept", name, n)
		}
	}
}
