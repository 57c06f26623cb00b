package testbed

import (
	"bufio"
	"crypto/subtle"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// What processes tell each other.
const (
	hello   = iota // node → scheduler: the node is there, and other nodes reach it at Address
	ping           // scheduler → node
	pong           // node → scheduler
	hold           // scheduler → node: have the elements From to To of the array of a job, see share
	give           // scheduler → node: send parts of the array to others, and forget the rest
	part           // node → node: elements from From on
	held           // node → scheduler: they are all there
	phase          // scheduler → node: do a phase
	edge           // node → node: the phase of the neighbour is done
	done           // node → scheduler: the phase is done
	release        // scheduler → node: forget the job
)

// message is what processes tell each other, whatever it is.
type message struct {
	Kind     uint8
	Node     int
	Address  string
	Job      int
	Epoch    int // of the job: it grows when its processes change
	Phase    int
	From, To int // elements of the array
	Rank     int
	Ranks    []string // addresses of the nodes of the job
	Parts    []parcel
	Task     time.Duration // of a phase in scaled mode
	Sweeps   int           // of a phase in real mode
	Keep     bool          // the elements are sent back with done
	Data     []byte        // elements, 8 bytes each
}

// parcel is a part of an array that goes to another node.
type parcel struct {
	To        string // address
	From, End int
}

// tokenSize is the length of the token with which a connection begins, in bytes.
const tokenSize = 32

// patience is how long a new connection may take to say its token.
const patience = 5 * time.Second

// link is a connection on which messages are sent and received, by one goroutine each.
type link struct {
	conn net.Conn
	out  *bufio.Writer
	enc  *gob.Encoder
	dec  *gob.Decoder
}

// dial connects to an address and says the token.
func dial(network, address string, token []byte) (*link, error) {
	conn, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Write(token); err != nil {
		conn.Close()
		return nil, err
	}
	return newLink(conn), nil
}

var errToken = errors.New("testbed: a connection without the token")

// welcome accepts a connection that says the token.
func welcome(conn net.Conn, token []byte) (*link, error) {
	said := make([]byte, tokenSize)
	conn.SetReadDeadline(time.Now().Add(patience))
	if _, err := io.ReadFull(conn, said); err != nil || subtle.ConstantTimeCompare(said, token) == 0 {
		conn.Close()
		return nil, errToken
	}
	conn.SetReadDeadline(time.Time{})
	return newLink(conn), nil
}

func newLink(conn net.Conn) *link {
	l := &link{conn: conn, out: bufio.NewWriterSize(conn, 1<<16)}
	l.enc = gob.NewEncoder(l.out)
	l.dec = gob.NewDecoder(bufio.NewReaderSize(conn, 1<<16))
	return l
}

// send sends a message. A receiver that takes none for longer than within is given up; 0: there is no limit.
func (l *link) send(m *message, within time.Duration) error {
	if within > 0 {
		l.conn.SetWriteDeadline(time.Now().Add(within))
	}
	if err := l.enc.Encode(m); err != nil {
		return err
	}
	return l.out.Flush()
}

// receive waits for a message.
func (l *link) receive() (*message, error) {
	m := new(message)
	if err := l.dec.Decode(m); err != nil {
		return nil, err
	}
	return m, nil
}

// listen opens a socket of the host: at a path, or at a free port of the loopback interface.
func listen(network, path string) (net.Listener, error) {
	switch network {
	case "unix":
		return net.Listen(network, path)
	case "tcp":
		return net.Listen(network, "127.0.0.1:0")
	}
	return nil, fmt.Errorf("testbed: there is no network %q, only unix and tcp", network)
}
