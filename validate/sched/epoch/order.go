package epoch

import "slices"

// order sorts jobs by their least numbers of nodes; those of equal jobs stay in order.
type order struct {
	keys []uint64
	jobs []int
}

// fewInOrder is the number of jobs up to which insertion is the fastest way to sort.
const fewInOrder = 24

// ascending returns the jobs of a problem, the smallest first.
func (o *order) ascending(least []int) []int {
	o.keys = o.keys[:0]
	for j, m := range least {
		o.keys = append(o.keys, uint64(m)<<32|uint64(j))
	}
	return o.sorted()
}

// descending returns the jobs of a problem, the largest first.
func (o *order) descending(least []int) []int {
	o.keys = o.keys[:0]
	for j, m := range least {
		o.keys = append(o.keys, uint64(mostNodes-m)<<32|uint64(j))
	}
	return o.sorted()
}

func (o *order) sorted() []int {
	if len(o.keys) <= fewInOrder {
		insertion(o.keys)
	} else {
		slices.Sort(o.keys)
	}
	o.jobs = o.jobs[:0]
	for _, k := range o.keys {
		o.jobs = append(o.jobs, int(uint32(k)))
	}
	return o.jobs
}

func insertion(keys []uint64) {
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0 && keys[j-1] > k; j-- {
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
}

// turned appends jobs that are in ascending order in descending order, in which equal jobs stay as they are.
func turned(list, ascending, least []int) []int {
	for to := len(ascending); to > 0; {
		from := to - 1
		for from > 0 && least[ascending[from-1]] == least[ascending[to-1]] {
			from--
		}
		list = append(list, ascending[from:to]...)
		to = from
	}
	return list
}
