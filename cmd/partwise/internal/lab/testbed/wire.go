package testbed

import "time"

// Message is what the methods of a [Node] are called with.
type Message struct {
	// Epoch names the part of the array of a job that a node has. Every division of an array among processes has another one.
	Epoch    int
	Next     int // the epoch in which parts that are given go to others
	Phase    int
	From, To int // elements of the array
	Rank     int
	Ranks    []string // addresses of the nodes of the job
	Parts    []Parcel
	Task     time.Duration // of a phase
	Last     bool          // of the phases of the job: the elements are the answer
	New      bool          // of an array: its elements are zero
	Data     []byte        // elements, 8 bytes each
}

// Parcel is a part of an array that goes to another node.
type Parcel struct {
	To        string // address
	From, End int
}
