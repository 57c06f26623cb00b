package resolvent

import "slices"

// Rates are the transitions of a chain between its states, and the total rate out of each state. Transitions of state i
// have the indices Start[i] to Start[i+1]−1 of To, the states to which they lead, and Rate.
type Rates struct {
	Start, To []int32
	Rate      []float64 // by transition
	Out       []float64 // by state: the total rate, transitions out of the chain included
}

// Classes is a chain whose states are listed by communicating classes: sets of states that lead to each other. Each
// class stands before the classes to which it leads. Within a class, states keep their order. The generator is then
// block triangular. Classes never change, and are safe for concurrent use.
type Classes struct {
	state []int32   // state of the chain by place in the list
	ends  []int32   // class k has the places from ends[k−1], or 0, to ends[k]−1
	start []int32   // the transitions of place i are start[i]..start[i+1]−1
	leave []int32   // transitions of place i from leave[i] on lead to other classes
	to    []int32   // places, counted from the first of the class for transitions within a class
	rate  []float64 // by transition
	out   []float64 // total rate out of each place
}

// Of lists a chain by communicating classes. It reads the rates and keeps a copy.
func Of(c Rates) *Classes {
	n := len(c.Out)
	l := &Classes{start: make([]int32, 1, n+1), leave: make([]int32, n), to: make([]int32, 0, len(c.To)),
		rate: make([]float64, 0, len(c.Rate)), out: make([]float64, n)}
	l.state, l.ends = c.communicatingClasses()
	place, first := make([]int32, n), make([]int32, n) // by state: its place, and the first place of its class
	begin := int32(0)
	for _, end := range l.ends {
		for i := begin; i < end; i++ {
			place[l.state[i]], first[l.state[i]] = i, begin
		}
		begin = end
	}
	for i, state := range l.state {
		l.out[i] = c.Out[state]
		from, to := c.Start[state], c.Start[state+1]
		for e := from; e < to; e++ {
			if j := c.To[e]; first[j] == first[state] {
				l.to, l.rate = append(l.to, place[j]-first[j]), append(l.rate, c.Rate[e])
			}
		}
		l.leave[i] = int32(len(l.to))
		for e := from; e < to; e++ {
			if j := c.To[e]; first[j] != first[state] {
				l.to, l.rate = append(l.to, place[j]), append(l.rate, c.Rate[e])
			}
		}
		l.start = append(l.start, int32(len(l.to)))
	}
	return l
}

// communicatingClasses returns the states, class by class, and the end of each class in this list. A class stands before
// the classes to which it leads. States of a class are in ascending order.
//
// Reference: R. E. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146–160.
func (c Rates) communicatingClasses() (states, ends []int32) {
	n := len(c.Out)
	const unseen = 0
	number, low := make([]int32, n), make([]int32, n) // order of discovery from 1 on; the lowest number of the stack that is reached
	next := slices.Clone(c.Start[:n])                 // the transition of each state to follow next
	onStack := make([]bool, n)
	var path, stack []int32
	found := int32(0)
	states, place := make([]int32, n), n // classes are completed from the last to the first
	for root := range n {
		if number[root] != unseen {
			continue
		}
		path = append(path, int32(root))
		for len(path) > 0 {
			i := path[len(path)-1]
			if number[i] == unseen {
				found++
				number[i], low[i], onStack[i] = found, found, true
				stack = append(stack, i)
			}
			if next[i] < c.Start[i+1] {
				j := c.To[next[i]]
				next[i]++
				switch {
				case number[j] == unseen:
					path = append(path, j)
				case onStack[j]:
					low[i] = min(low[i], number[j])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				before := path[len(path)-1]
				low[before] = min(low[before], low[i])
			}
			if low[i] != number[i] {
				continue
			}
			first := len(stack) - 1
			for stack[first] != i {
				first--
			}
			class := stack[first:]
			slices.Sort(class)
			for _, j := range class {
				onStack[j] = false
			}
			ends = append(ends, int32(place))
			place -= len(class)
			copy(states[place:], class)
			stack = stack[:first]
		}
	}
	slices.Reverse(ends)
	return states, ends
}
