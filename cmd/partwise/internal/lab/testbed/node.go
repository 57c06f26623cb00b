package testbed

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/rpc"
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

// Serve is the process of a node. It writes its address to out, and then does what its scheduler and other nodes call: processes of
// the same user, as nobody else may enter the folder of the socket. It returns when in ends, as it does when the scheduler is gone
// however that came about, or when the context is done, and removes the socket.
func Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	// Signals of the terminal are for the scheduler, and a pipe that nobody reads means that it is gone: the socket must not be left.
	signal.Ignore(os.Interrupt, syscall.SIGHUP, syscall.SIGPIPE)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	n := &Node{peers: map[string]*rpc.Client{}, shares: map[int]*share{}}
	go func() {
		io.Copy(io.Discard, in)
		stop()
	}()
	directory, err := os.MkdirTemp("", "partwise-testbed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(directory)
	listener, err := net.Listen("unix", filepath.Join(directory, "node"))
	if err != nil {
		return err
	}
	server := rpc.NewServer()
	if err := server.Register(n); err != nil {
		return err
	}
	go server.Accept(listener)
	json.NewEncoder(out).Encode(listener.Addr().String()) // if it cannot be written, in ends
	<-ctx.Done()
	return nil
}

// Node is the process of a node. Its exported methods are called by the scheduler and by other nodes, each call on a goroutine
// of its own, so that a node always answers.
type Node struct {
	mu     sync.Mutex
	peers  map[string]*rpc.Client // other nodes by address
	shares map[int]*share         // by epoch
}

// share is the part of the array of a job that a node has, or is to have.
type share struct {
	*Message               // that said which part it is
	known    chan struct{} // closed when the scheduler has said so
	whole    chan struct{} // closed when all elements are there
	gone     chan struct{} // closed when the part is forgotten
	missing  int           // elements that are still to come
	edges    chan int      // phases that the neighbour has done
}

// share returns that of an epoch.
func (n *Node) share(epoch int) *share {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.shares[epoch]
	if s == nil {
		s = &share{edges: make(chan int, 2), known: make(chan struct{}), whole: make(chan struct{}), gone: make(chan struct{})}
		n.shares[epoch] = s
	}
	return s
}

// Release forgets the part of an array that a node has in an epoch.
func (n *Node) Release(m *Message, _ *[]byte) error {
	s := n.share(m.Epoch)
	n.mu.Lock()
	defer n.mu.Unlock()
	close(s.gone)
	delete(n.shares, m.Epoch)
	return nil
}

// Hold makes room for elements and returns when all of them are there: those of a new array at once, others when the nodes that
// have them have sent them by [Node.Put].
func (n *Node) Hold(m *Message, _ *[]byte) error {
	s := n.share(m.Epoch)
	s.Message = m
	m.Data = make([]byte, (m.To-m.From)*elementSize)
	if s.missing = m.To - m.From; m.New {
		close(s.whole)
	}
	close(s.known)
	<-s.whole
	return nil
}

// Put enters a part of the array that another node sends.
func (n *Node) Put(m *Message, _ *[]byte) error {
	s := n.share(m.Epoch)
	<-s.known
	n.mu.Lock()
	defer n.mu.Unlock()
	copy(s.Data[(m.From-s.From)*elementSize:], m.Data)
	if s.missing -= len(m.Data) / elementSize; s.missing == 0 {
		close(s.whole)
	}
	return nil
}

// Give sends parts of an array to the nodes that are to have them, and forgets the rest.
func (n *Node) Give(m *Message, none *[]byte) error {
	s := n.share(m.Epoch)
	for _, p := range m.Parts {
		n.send(p.To, "Put", &Message{Epoch: m.Next, From: p.From, Data: s.Data[(p.From-s.From)*elementSize : (p.End-s.From)*elementSize]})
	}
	return n.Release(m, none)
}

// send calls a method of another node. A node that cannot be reached is gone, which the scheduler finds out by itself.
func (n *Node) send(address, method string, m *Message) {
	n.mu.Lock()
	defer n.mu.Unlock()
	peer := n.peers[address]
	if peer == nil {
		var err error
		if peer, err = rpc.Dial("unix", address); err != nil {
			return
		}
		n.peers[address] = peer
	}
	peer.Go("Node."+method, m, new([]byte), nil)
}

// Edge notes that the neighbour has done a phase.
func (n *Node) Edge(m *Message, _ *[]byte) error {
	select {
	case n.share(m.Epoch).edges <- m.Phase:
	default: // of a phase that was given up
	}
	return nil
}

// Phase does a phase: the task, and the exchange with the neighbours. Of the last phase it returns the elements.
func (n *Node) Phase(m *Message, data *[]byte) error {
	s := n.share(m.Epoch)
	select {
	case <-s.known:
	default: // the part is forgotten already
		return nil
	}
	time.Sleep(m.Task)
	advance(s.Data)
	if k := len(s.Ranks); k > 1 {
		n.send(s.Ranks[(s.Rank+1)%k], "Edge", &Message{Epoch: m.Epoch, Phase: m.Phase})
		for there := -1; there < m.Phase; {
			select {
			case there = <-s.edges:
			case <-s.gone:
				return nil
			}
		}
	}
	if m.Last {
		*data = s.Data
	}
	return nil
}
