package packed

import "math"

// None stands for a name that is not told.
const None = math.MaxUint32

// Names gives names numbers from 1, in the order in which they come.
type Names struct {
	numbers map[string]uint32
	list    []string // the names in the order of their numbers
	recent  [recentNames]uint32
}

// recentNames is the number of names that are found without a look into the map: the last name of each slot. Lines of a log
// repeat the names of lines shortly before.
const recentNames = 256

// slotOf returns a number below recentNames for a name that is not empty. It depends on the last bytes, in which names of users
// and nodes differ.
func slotOf(name []byte) (slot uint8) {
	for _, c := range name[max(0, len(name)-4):] {
		slot = 31*slot + c
	}
	return slot
}

// Number returns the number of a name, None of the empty name.
func (n *Names) Number(name []byte) uint32 { return n.number(name, None-1) }

// Within returns the number of a name if it is at most most, 0 of other names and of the empty name. Other names are not kept.
func (n *Names) Within(name []byte, most uint32) uint32 {
	if i := n.number(name, most); i <= most {
		return i
	}
	return 0
}

// number returns the number of a name, None of the empty name. It returns None of a new name, too, if there are most names already.
func (n *Names) number(name []byte, most uint32) uint32 {
	if len(name) == 0 {
		return None
	}
	recent := &n.recent[slotOf(name)]
	switch {
	case *recent > 0 && string(name) == n.list[*recent-1]:
		return *recent
	case n.numbers == nil:
		n.numbers = map[string]uint32{}
	}
	i, ok := n.numbers[string(name)]
	switch {
	case !ok && uint32(len(n.list)) >= most:
		return None
	case !ok:
		n.list = append(n.list, string(name))
		i = uint32(len(n.list))
		n.numbers[n.list[i-1]] = i
	}
	*recent = i
	return i
}

// List returns the names in the order of their numbers; nil if there are none.
func (n *Names) List() []string { return n.list }
