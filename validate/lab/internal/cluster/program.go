package cluster

// Pattern says which processes of a job exchange messages in each iteration.
type Pattern string

// The patterns. Processes are numbered from 0 to n−1, and numbers are counted round.
const (
	NearestNeighbour Pattern = "nn"     // i sends to i−1 and i+1
	AllToAll         Pattern = "aa"     // i sends to all others
	Tree             Pattern = "tree"   // up and down a binary tree: a reduction, then a broadcast
	Linear           Pattern = "linear" // i sends to i+1
)

// Patterns returns all patterns.
func Patterns() []Pattern { return []Pattern{NearestNeighbour, AllToAll, Tree, Linear} }

// Messages returns how many messages a process sends to each neighbour in an iteration unless a Config says otherwise: 4
// to the nearest ones, with which iterations of the communication-intensive jobs are longer than a tick, and 1 in trees
// and to all.
func (p Pattern) Messages() int {
	if p == NearestNeighbour || p == Linear {
		return 4
	}
	return 1
}

// step is a message that a process sends or receives.
type step struct {
	to   int32 // the process it is sent to; receives for a receive
	slot int32 // of the receiver: messages of one sender and direction
}

const receives = -1

// script appends to steps what the process of a rank sends and receives in an iteration, each k times. The first receive
// is of the neighbour that sends to this process first.
func (p Pattern) script(steps []step, processes []int32, rank, k int) []step {
	n := len(processes)
	if n == 1 {
		return steps
	}
	times := func(s step) {
		for range k {
			steps = append(steps, s)
		}
	}
	send := func(to, slot int) { times(step{processes[(to+n)%n], int32(slot)}) }
	receive := func(slot int) { times(step{receives, int32(slot)}) }
	switch p {
	case NearestNeighbour: // slot 0: from the right; 1: from the left
		send(rank-1, 0)
		send(rank+1, 1)
		receive(0)
		receive(1)
	case AllToAll:
		for d := 1; d < n; d++ {
			send(rank+d, d-1)
		}
		for d := 1; d < n; d++ {
			receive(d - 1)
		}
	case Tree: // slot 0: from the parent; 1, 2: from the children
		for child := 1; child <= 2; child++ {
			if 2*rank+child < n {
				receive(child)
			}
		}
		if rank > 0 {
			send((rank-1)/2, 2-rank%2)
			receive(0)
		}
		for child := 1; child <= 2; child++ {
			if to := 2*rank + child; to < n {
				send(to, 0)
			}
		}
	case Linear:
		send(rank+1, 0)
		receive(0)
	}
	return steps
}
