package packed

import "math"

// None stands for a name that is not told.
const None = math.MaxUint32

// Names gives names numbers from 1, in the order in which they come.
type Names struct {
	numbers map[string]uint32
	list    []string // the names in the order of their numbers
	last    uint32   // the number that was asked for before, as the next line often has it, too; 0: none
}

// Number returns the number of a name, None of the empty name.
func (n *Names) Number(name []byte) uint32 {
	switch {
	case len(name) == 0:
		return None
	case n.last > 0 && string(name) == n.list[n.last-1]:
		return n.last
	case n.numbers == nil:
		n.numbers = map[string]uint32{}
	}
	i, ok := n.numbers[string(name)]
	if !ok {
		n.list = append(n.list, string(name))
		i = uint32(len(n.list))
		n.numbers[n.list[i-1]] = i
	}
	n.last = i
	return i
}

// Within returns the number of a name if it is at most most, 0 of other names and of the empty name.
func (n *Names) Within(name []byte, most uint32) uint32 {
	if i := n.Number(name); i <= most {
		return i
	}
	return 0
}

// List returns the names in the order of their numbers; nil if there are none.
func (n *Names) List() []string { return n.list }
