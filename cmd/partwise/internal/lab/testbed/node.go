package testbed

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// nodeVariable is the variable of the environment that makes a program the process of a node.
const nodeVariable = "PARTWISE_TESTBED_NODE"

// IsNode reports whether this process was started to be a node. A program that starts machines asks so first, and calls
// [Serve] if it is.
func IsNode() bool { return os.Getenv(nodeVariable) != "" }

// introduction is what a new process reads from its standard input: where the scheduler is, and the token. The input
// then stays open for as long as the scheduler lives.
type introduction struct {
	Network, Address string
	Directory        string // of the sockets of nodes
	Token            []byte
	Node             int
}

// Serve is the process of a node. It reads from in who its scheduler is, and returns when in ends, as it does when the
// scheduler is gone however that came about, or when the context is done.
func Serve(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var intro introduction
	decoder := json.NewDecoder(in)
	if err := decoder.Decode(&intro); err != nil {
		return err
	}
	go func() {
		io.Copy(io.Discard, in)
		stop()
	}()
	// A node that is started again has another socket: that of the one before may still be there.
	path := filepath.Join(intro.Directory, "node"+strconv.Itoa(intro.Node)+"."+strconv.Itoa(os.Getpid()))
	listener, err := listen(intro.Network, path)
	if err != nil {
		return unlessGone(ctx, err)
	}
	scheduler, err := dial(intro.Network, intro.Address, intro.Token)
	if err != nil {
		listener.Close()
		return unlessGone(ctx, err)
	}
	context.AfterFunc(ctx, func() {
		listener.Close()
		scheduler.conn.Close()
	})
	n := &node{introduction: intro, scheduler: scheduler, peers: map[string]*peer{}, shares: map[[2]int]*share{}}
	if err := n.tell(&message{Kind: hello, Node: intro.Node, Address: listener.Addr().String()}); err != nil {
		return err
	}
	go n.accept(listener)
	for {
		m, err := scheduler.receive()
		if err != nil {
			return nil // the scheduler is gone
		}
		n.handle(ctx, m)
	}
}

// closing is how long a scheduler may take from its first step of closing to the end of the inputs of its nodes.
const closing = time.Second

// unlessGone returns an error, nil if it is only that the scheduler has gone or goes.
func unlessGone(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(closing):
		return err
	}
}

// node is the process of a node.
type node struct {
	introduction
	scheduler *link
	telling   sync.Mutex
	mu        sync.Mutex
	peers     map[string]*peer  // by address
	shares    map[[2]int]*share // by job and epoch
}

// peer is a connection to another node.
type peer struct {
	sync.Mutex
	link *link
}

// share is the part of the array of a job that a node has, or is to have.
type share struct {
	mu      sync.Mutex
	known   bool // the scheduler has said which part it is
	from    int
	data    []byte
	missing int        // elements that are still to come
	early   []*message // parts that came before the scheduler's word
	ranks   []string
	rank    int
	edges   chan int // phases that the neighbour has done
	gone    chan struct{}
}

// tell sends a message to the scheduler.
func (n *node) tell(m *message) error {
	n.telling.Lock()
	defer n.telling.Unlock()
	return n.scheduler.send(m, 0)
}

// share returns that of a job and epoch.
func (n *node) share(job, epoch int) *share {
	n.mu.Lock()
	defer n.mu.Unlock()
	s := n.shares[[2]int{job, epoch}]
	if s == nil {
		s = &share{edges: make(chan int, 2), gone: make(chan struct{})}
		n.shares[[2]int{job, epoch}] = s
	}
	return s
}

// forget forgets what a node has of a job up to an epoch.
func (n *node) forget(job, epoch int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for k, s := range n.shares {
		if k[0] == job && k[1] <= epoch {
			close(s.gone)
			delete(n.shares, k)
		}
	}
}

// handle does what the scheduler says. What takes time is done aside, so that a node always answers.
func (n *node) handle(ctx context.Context, m *message) {
	switch m.Kind {
	case ping:
		n.tell(&message{Kind: pong, Node: n.Node})
	case hold:
		n.hold(m)
	case give:
		go n.give(m)
	case phase:
		go n.phase(ctx, m)
	case release:
		n.forget(m.Job, m.Epoch)
	}
}

// hold makes room for elements; those that come with the message are there, others come from nodes that have them.
func (n *node) hold(m *message) {
	s := n.share(m.Job, m.Epoch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.from, s.ranks, s.rank = true, m.From, m.Ranks, m.Rank
	s.data, s.missing = m.Data, 0
	if s.data == nil {
		s.data = make([]byte, (m.To-m.From)*elementSize)
		if !m.Keep { // a new array is zero
			s.missing = m.To - m.From
		}
	}
	for _, p := range s.early {
		s.put(p)
	}
	s.early = nil
	n.whenWhole(s, m.Job, m.Epoch)
}

// put enters a part of the array.
func (s *share) put(m *message) {
	copy(s.data[(m.From-s.from)*elementSize:], m.Data)
	s.missing -= len(m.Data) / elementSize
}

// whenWhole tells the scheduler when all elements are there.
func (n *node) whenWhole(s *share, job, epoch int) {
	if s.known && s.missing == 0 {
		n.tell(&message{Kind: held, Node: n.Node, Job: job, Epoch: epoch})
	}
}

// give sends parts of an array to the nodes that are to have them.
func (n *node) give(m *message) {
	s := n.share(m.Job, m.Epoch)
	s.mu.Lock()
	data, from := s.data, s.from
	s.mu.Unlock()
	for _, p := range m.Parts {
		n.send(p.To, &message{Kind: part, Job: m.Job, Epoch: m.Epoch + 1, From: p.From,
			Data: data[(p.From-from)*elementSize : (p.End-from)*elementSize]})
	}
	n.forget(m.Job, m.Epoch)
}

// send sends a message to another node. One that cannot be reached is gone, which the scheduler finds out by itself.
func (n *node) send(address string, m *message) {
	n.mu.Lock()
	p := n.peers[address]
	if p == nil {
		p = &peer{}
		n.peers[address] = p
	}
	n.mu.Unlock()
	p.Lock()
	defer p.Unlock()
	if p.link == nil {
		link, err := dial(n.Network, address, n.Token)
		if err != nil {
			return
		}
		p.link = link
	}
	if p.link.send(m, 0) != nil {
		p.link.conn.Close()
		p.link = nil
	}
}

// accept takes in what other nodes send.
func (n *node) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			l, err := welcome(conn, n.Token)
			if err != nil {
				return
			}
			defer conn.Close()
			for {
				m, err := l.receive()
				if err != nil {
					return
				}
				n.take(m)
			}
		}()
	}
}

// take takes in what another node sends.
func (n *node) take(m *message) {
	s := n.share(m.Job, m.Epoch)
	switch m.Kind {
	case edge:
		select {
		case s.edges <- m.Phase:
		default: // of a phase that was given up
		}
	case part:
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.known {
			s.early = append(s.early, m)
			return
		}
		s.put(m)
		n.whenWhole(s, m.Job, m.Epoch)
	}
}

// phase does a phase: the task, the exchange with the neighbours, and the word to the scheduler.
func (n *node) phase(ctx context.Context, m *message) {
	s := n.share(m.Job, m.Epoch)
	if m.Task > 0 && !sleep(ctx, m.Task) {
		return
	}
	s.mu.Lock()
	for range max(m.Sweeps, 1) {
		advance(s.data)
	}
	data := s.data
	s.mu.Unlock()
	if k := len(s.ranks); k > 1 {
		n.send(s.ranks[(s.rank+1)%k], &message{Kind: edge, Job: m.Job, Epoch: m.Epoch, Phase: m.Phase})
		for there := -1; there < m.Phase; {
			select {
			case there = <-s.edges:
			case <-s.gone:
				return
			case <-ctx.Done():
				return
			}
		}
	}
	answer := &message{Kind: done, Node: n.Node, Job: m.Job, Epoch: m.Epoch, Phase: m.Phase}
	if m.Keep {
		answer.Rank, answer.Data = s.rank, data
	}
	n.tell(answer)
}

// sleep waits, and reports whether it could to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
