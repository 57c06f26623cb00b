package testbed

import (
	"encoding/gob"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// nodeVariable is the variable of the environment that makes a program the process of a node.
const nodeVariable = "PARTWISE_TESTBED_NODE"

// IsNode reports whether this process was started to be a node. A program that starts machines asks so first, and calls
// [Serve] if it is.
func IsNode() bool { return os.Getenv(nodeVariable) != "" }

// Serve is the process of a node. It writes the address of its socket to out, and then does what its scheduler and other nodes call:
// processes of the same user, as nobody else may enter the folder of the socket. It returns when in ends, as it does when the
// scheduler is gone however that came about, and removes the socket.
func Serve(in io.Reader, out io.Writer) error {
	// Signals of the terminal are for the scheduler, and a pipe that nobody reads means that it is gone: the socket must not be left.
	signal.Ignore(os.Interrupt, syscall.SIGHUP, syscall.SIGPIPE)
	directory, err := os.MkdirTemp("", "partwise-testbed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	listener, err := net.Listen("unix", filepath.Join(directory, "node"))
	if err != nil {
		return err
	}
	n := &node{peers: map[string]*gob.Encoder{}, shares: map[int]*share{}}
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			go n.obey(caller)
		}
	}()
	gob.NewEncoder(out).Encode(listener.Addr().String()) // if it cannot be written, in ends
	io.Copy(io.Discard, in)
	return nil
}

// node is the process of a node.
type node struct {
	mu     sync.Mutex
	peers  map[string]*gob.Encoder // other nodes by address
	shares map[int]*share          // by epoch
}

// obey does what is called on a connection, each call on a goroutine of its own, so that a node always answers.
func (n *node) obey(caller net.Conn) {
	defer caller.Close()
	for calls, answers := gob.NewDecoder(caller), gob.NewEncoder(caller); ; {
		var m message
		if calls.Decode(&m) != nil {
			return
		}
		go n.do(&m, answers)
	}
}

// do does the work of a call of the scheduler or of another node. Calls to hold and phase are answered when they are done, alive
// at once.
func (n *node) do(m *message, answers *gob.Encoder) {
	if m.Call == alive {
		answers.Encode(m)
		return
	}
	s := n.share(m.Epoch)
	switch m.Call {
	case hold:
		n.hold(s, m)
		answers.Encode(&message{Call: hold, Epoch: m.Epoch})
	case put:
		n.put(s, m)
	case give:
		for _, p := range m.Parts {
			n.send(p.To, &message{Call: put, Epoch: m.Next, From: p.From,
				Data: s.Data[(p.From-s.From)*elementSize : (p.End-s.From)*elementSize]})
		}
		n.release(m.Epoch)
	case release:
		n.release(m.Epoch)
	case phase:
		if n.phase(s, m) {
			answers.Encode(m)
		}
	case edge:
		select {
		case s.edges <- m.Phase:
		default: // of a phase that was given up
		}
	}
}

// share is the part of the array of a job that a node has, or is to have.
type share struct {
	*message               // that said which part it is
	known    chan struct{} // closed when the scheduler has said so
	whole    chan struct{} // closed when all elements are there
	gone     chan struct{} // closed when the part is forgotten
	missing  int           // elements that are still to come
	edges    chan int      // phases that the neighbour has done
}

// share returns the part of an array that has an epoch. The node makes an empty part if it does not know the epoch yet.
func (n *node) share(epoch int) *share {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.shares[epoch]
	if s == nil {
		s = &share{edges: make(chan int, 2), known: make(chan struct{}), whole: make(chan struct{}), gone: make(chan struct{})}
		n.shares[epoch] = s
	}
	return s
}

// release forgets the part of an array with an epoch, and ends a phase that waits for neighbours.
func (n *node) release(epoch int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.shares[epoch].gone)
	delete(n.shares, epoch)
}

// hold makes room for elements and returns when all of them are there. The elements of a new array are there at once, other
// elements when the nodes that have them have put them there.
func (n *node) hold(s *share, m *message) {
	s.message = m
	m.Data = make([]byte, (m.To-m.From)*elementSize)
	s.missing = m.To - m.From
	close(s.known)
	if !m.New {
		<-s.whole
	}
}

// put copies elements that another node sent into a part of the array. When all elements are there, the part is whole, and
// hold returns.
func (n *node) put(s *share, m *message) {
	<-s.known
	n.mu.Lock()
	defer n.mu.Unlock()
	copy(s.Data[(m.From-s.From)*elementSize:], m.Data)
	if s.missing -= len(m.Data) / elementSize; s.missing == 0 {
		close(s.whole)
	}
}

// send calls another node. A node that cannot be reached is gone, which the scheduler finds out by itself.
func (n *node) send(address string, m *message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	peer := n.peers[address]
	if peer == nil {
		connection, err := net.Dial("unix", address)
		if err != nil {
			return
		}
		peer = gob.NewEncoder(connection)
		n.peers[address] = peer
	}
	peer.Encode(m)
}

// phase does a phase, the task and the exchange with the neighbours, and enters the answer in m: of the last phase it has the
// elements. It returns false if the phase is given up.
func (n *node) phase(s *share, m *message) bool {
	select {
	case <-s.known:
	default: // the part is forgotten already
		return false
	}
	time.Sleep(m.Task)
	advance(s.Data)
	if k := len(s.Ranks); k > 1 {
		n.send(s.Ranks[(s.Rank+1)%k], &message{Call: edge, Epoch: m.Epoch, Phase: m.Phase})
		for there := -1; there < m.Phase; {
			select {
			case there = <-s.edges:
			case <-s.gone:
				return false
			}
		}
	}
	if m.Rank = s.Rank; m.Last {
		m.Data = s.Data
	}
	return true
}
