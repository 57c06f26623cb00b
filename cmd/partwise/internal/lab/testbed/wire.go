package testbed

import (
	"crypto/subtle"
	"errors"
	"io"
	"net"
	"net/rpc"
	"time"
)

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
	Task     time.Duration // of a phase in scaled mode
	Sweeps   int           // of a phase in real mode
	Last     bool          // of the phases of the job: the elements are the answer
	New      bool          // of an array: its elements are zero
	Data     []byte        // elements, 8 bytes each
}

// Parcel is a part of an array that goes to another node.
type Parcel struct {
	To        string // address
	From, End int
}

// tokenSize is the length of the token with which a connection begins, in bytes.
const tokenSize = 32

// patience is how long a new connection may take to say its token.
const patience = 5 * time.Second

// dial connects to the node at an address and says the token.
func dial(address string, token []byte) (*rpc.Client, error) {
	conn, err := net.DialTimeout("unix", address, patience)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(token); err != nil {
		conn.Close()
		return nil, err
	}
	return rpc.NewClient(conn), nil
}

var errToken = errors.New("testbed: a connection without the token")

// welcome waits until a connection has said the token.
func welcome(conn net.Conn, token []byte) error {
	said := make([]byte, tokenSize)
	conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadFull(conn, said); err != nil || subtle.ConstantTimeCompare(said, token) == 0 {
		return errToken
	}
	return conn.SetReadDeadline(time.Time{})
}
