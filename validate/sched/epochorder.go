package sched

import "slices"

// order sorts jobs by their least numbers of nodes; those of equal jobs stay in order.
type order struct {
	keys   []uint64
	counts []int
	jobs   []int
}

const (
	fewInOrder = 24 // jobs up to which insertion is the fastest way to sort
	fewValues  = 8  // for each job, up to which counting is
)

// ascending returns the jobs of a problem, the smallest first.
func (o *order) ascending(least []int) []int { return o.sorted(least, 0, 1) }

// descending returns the jobs of a problem, the largest first.
func (o *order) descending(least []int) []int { return o.sorted(least, slices.Max(least), -1) }

// sorted returns the jobs by ascending from + sign·least, which is not negative.
func (o *order) sorted(least []int, from, sign int) []int {
	if most := max(from, slices.Max(least)); len(least) > fewInOrder && most <= fewValues*len(least) {
		return o.counted(least, from, sign, most)
	}
	o.keys = o.keys[:0]
	for j, m := range least {
		o.keys = append(o.keys, uint64(from+sign*m)<<32|uint64(j))
	}
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

// counted sorts by counting how many jobs have each value, up to most.
func (o *order) counted(least []int, from, sign, most int) []int {
	o.counts = zeros(o.counts, most+2)
	for _, m := range least {
		o.counts[from+sign*m+1]++
	}
	for v := 1; v <= most; v++ {
		o.counts[v] += o.counts[v-1]
	}
	o.jobs = zeros(o.jobs, len(least))
	for j, m := range least {
		at := &o.counts[from+sign*m]
		o.jobs[*at] = j
		*at++
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
