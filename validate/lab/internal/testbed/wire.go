package testbed

import "time"

// message says what a node is to do. A node answers calls to hold and phase, when they are done, by a message of the same call
// and epoch. It answers alive at once.
type message struct {
	Call call
	// Epoch names the part of the array of a job that a node has. Every division of an array among processes has another one.
	Epoch    int
	Next     int // the epoch in which parts that are given go to others
	Phase    int
	From, To int // elements of the array
	Rank     int
	Ranks    []string // addresses of the nodes of the job
	Parts    []parcel
	Task     time.Duration // of a phase
	Last     bool          // of the phases of the job: the elements are the answer
	New      bool          // of an array: its elements are zero
	Data     []byte        // elements, 8 bytes each
}

// call is one of the calls that nodes know.
type call uint8

const (
	hold    call = iota // make room for elements, until all of them are there
	put                 // enter a part of the array that another node sends
	give                // send parts of an array to the nodes that are to have them, and forget the rest
	release             // forget a part of an array
	phase               // do a phase
	edge                // note that the neighbour has done a phase
	alive               // answer at once
)

// parcel is a part of an array that goes to another node.
type parcel struct {
	To        string // address
	From, End int
}
