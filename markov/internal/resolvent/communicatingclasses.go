package resolvent

import (
	"slices"
	"sync"

	"github.com/partwise/partwise/markov/internal/incomplete"
)

// Rates are the transitions of a chain between its states, and the total rate out of each state. Transitions of state i
// have the indices Start[i] to Start[i+1]−1 of To, the states to which they lead, and Rate.
type Rates struct {
	Start, To []int32
	Rate      []float64 // by transition
	Out       []float64 // by state: the total rate, transitions out of the chain included
}

// Classes is a chain whose states are listed by communicating classes: sets of states that lead to each other. Each
// class stands before the classes to which it leads. Within a class, states keep their order. The generator is then
// block triangular. The classes never change, and are safe for concurrent use.
type Classes struct {
	state []int32   // state of the chain by place in the list
	ends  []int32   // class k has the places from ends[k−1], or 0, to ends[k]−1
	start []int32   // the transitions of place i are start[i]..start[i+1]−1
	leave []int32   // transitions of place i from leave[i] on lead to other classes
	to    []int32   // places, counted from the first of the class for transitions within a class
	rate  []float64 // by transition
	out   []float64 // total rate out of each place

	factors sync.Pool // of *incomplete.ComplexFactor: their storage serves the next solutions
}

// Of lists a chain by communicating classes. It reads the rates and keeps a copy.
func Of(c Rates) *Classes {
	n := len(c.Out)
	l := &Classes{start: make([]int32, 1, n+1), leave: make([]int32, n), to: make([]int32, 0, len(c.To)),
		rate: make([]float64, 0, len(c.Rate)), out: make([]float64, n)}
	l.factors.New = func() any { return new(incomplete.ComplexFactor) }
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
func (c Rates) communicatingClasses() (states, ends []int32) {
	n := len(c.Out)
	s := &classSearch{
		chain: c, number: make([]int32, n), low: make([]int32, n), next: slices.Clone(c.Start[:n]),
		onStack: make([]bool, n), states: make([]int32, n), begin: n,
	}
	for root := range n {
		if s.number[root] == 0 {
			s.searchFrom(int32(root))
		}
	}
	slices.Reverse(s.ends)
	return s.states, s.ends
}

// classSearch is a depth-first search for communicating classes. The stack holds the states that were found and whose
// class is not complete. A class is complete when the search leaves the state of the class that it found first.
//
// Reference: R. E. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146–160.
type classSearch struct {
	chain   Rates
	found   int32
	number  []int32 // by state: order of discovery from 1 on, 0 before
	low     []int32 // by state: the least number on the stack that the search has reached from it
	next    []int32 // by state: the transition to follow next
	path    []int32 // states from the root to the present state
	stack   []int32
	onStack []bool

	// Classes are completed from the last to the first. The complete ones fill states from begin on.
	states []int32
	begin  int
	ends   []int32 // of the complete classes in states, the last class first
}

// searchFrom finds all states that can be reached from root, which was not found before, and completes their classes.
func (s *classSearch) searchFrom(root int32) {
	s.discover(root)
	for len(s.path) > 0 {
		i := s.path[len(s.path)-1]
		if s.next[i] < s.chain.Start[i+1] {
			s.follow(i, s.chain.To[s.next[i]])
			s.next[i]++
			continue
		}
		s.path = s.path[:len(s.path)-1]
		if len(s.path) > 0 {
			before := s.path[len(s.path)-1]
			s.low[before] = min(s.low[before], s.low[i])
		}
		if s.low[i] == s.number[i] {
			s.complete(i)
		}
	}
}

// discover numbers state i, which was not found before, and puts it at the end of the path and on the stack.
func (s *classSearch) discover(i int32) {
	s.found++
	s.number[i], s.low[i], s.onStack[i] = s.found, s.found, true
	s.stack, s.path = append(s.stack, i), append(s.path, i)
}

// follow takes account of a transition from state i to state j. A state j that was not found before is discovered.
func (s *classSearch) follow(i, j int32) {
	switch {
	case s.number[j] == 0:
		s.discover(j)
	case s.onStack[j]:
		s.low[i] = min(s.low[i], s.number[j])
	}
}

// complete moves the class of first, the state of the class that was found first, from the stack to the list of states.
func (s *classSearch) complete(first int32) {
	from := len(s.stack) - 1
	for s.stack[from] != first {
		from--
	}
	class := s.stack[from:]
	slices.Sort(class)
	for _, j := range class {
		s.onStack[j] = false
	}
	s.ends = append(s.ends, int32(s.begin))
	s.begin -= len(class)
	copy(s.states[s.begin:], class)
	s.stack = s.stack[:from]
}
