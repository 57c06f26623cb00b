package testbed

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Config describes a machine of processes.
type Config struct {
	Nodes   int
	Network string // "unix", or "tcp" on the loopback interface; "": unix
	// Command starts the process of a node, a program that calls [Serve] with its standard input if [IsNode]; nil: this
	// program.
	Command []string
	// Silence is how long a node may not answer before it is killed and another one started in its place; 0: 10 s.
	Silence time.Duration
	// Log is told of nodes that are lost and replaced; it may be nil.
	Log func(text string)
}

// MostNodes is the largest number of processes that are started.
const MostNodes = 256

// Machine is the processes of a machine, ready to run jobs.
type Machine struct {
	Config
	ctx      context.Context
	stop     context.CancelFunc
	folder   *folder
	listener net.Listener
	token    []byte
	nodes    []*process
	words    chan word
	joins    chan word
	jobs     int // that were ever run
}

// process is the process of a node, as the scheduler sees it.
type process struct {
	number  int
	command *exec.Cmd
	input   io.WriteCloser
	ended   chan struct{} // closed when the process has ended
	link    *link
	out     chan *message
	address string
	heard   time.Time
}

// word is what a node says, or that it is lost.
type word struct {
	from *link
	*message
	lost error
}

// Start starts the processes of a machine and waits until all are there. Close ends them.
func Start(ctx context.Context, c Config) (*Machine, error) {
	if c.Nodes < 1 || c.Nodes > MostNodes {
		return nil, fmt.Errorf("testbed: %d nodes are not between 1 and %d", c.Nodes, MostNodes)
	}
	if len(c.Command) == 0 {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		c.Command = []string{self}
	}
	if c.Network == "" {
		c.Network = "unix"
	}
	if c.Silence == 0 {
		c.Silence = 10 * time.Second
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	folder, err := newFolder("partwise-testbed-")
	if err != nil {
		return nil, err
	}
	m := &Machine{Config: c, folder: folder, token: make([]byte, tokenSize), words: make(chan word, 1024),
		joins: make(chan word, c.Nodes)}
	m.ctx, m.stop = context.WithCancel(ctx)
	rand.Read(m.token)
	if m.listener, err = listen(c.Network, filepath.Join(folder.Path, "scheduler")); err != nil {
		folder.Remove()
		return nil, err
	}
	go m.accept()
	for i := range c.Nodes {
		p, err := m.launch(i)
		if err != nil {
			m.Close()
			return nil, err
		}
		m.nodes = append(m.nodes, p)
	}
	if err := m.await(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// await waits until all nodes are there.
func (m *Machine) await() error {
	late := time.NewTimer(m.Silence)
	defer late.Stop()
	for missing := m.Nodes; missing > 0; missing-- {
		select {
		case w := <-m.joins:
			m.join(w)
		case <-late.C:
			return fmt.Errorf("testbed: %d of %d nodes did not come within %v", missing, m.Nodes, m.Silence)
		case <-m.ctx.Done():
			return context.Cause(m.ctx)
		}
	}
	return nil
}

// launch starts the process of a node.
func (m *Machine) launch(number int) (*process, error) {
	p := &process{number: number, ended: make(chan struct{})}
	p.command = exec.Command(m.Command[0], m.Command[1:]...)
	p.command.Env = append(os.Environ(), nodeVariable+"=1")
	p.command.Stderr = os.Stderr
	var err error
	if p.input, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.command.Wait()
		close(p.ended)
	}()
	return p, json.NewEncoder(p.input).Encode(introduction{m.Network, m.listener.Addr().String(), m.folder.Path, m.token, number})
}

// accept takes in the connections of nodes.
func (m *Machine) accept() {
	for {
		conn, err := m.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			l, err := welcome(conn, m.token)
			if err != nil {
				return
			}
			first, err := l.receive()
			if err != nil || first.Kind != hello || first.Node < 0 || first.Node >= m.Nodes {
				conn.Close()
				return
			}
			select {
			case m.joins <- word{from: l, message: first}:
			case <-m.ctx.Done():
				conn.Close()
			}
		}()
	}
}

// join enters a node that is there.
func (m *Machine) join(w word) {
	p := m.nodes[w.Node]
	p.link, p.address, p.heard = w.from, w.Address, time.Now()
	p.out = make(chan *message, 256)
	go m.write(p.link, p.out, p.number)
	go m.read(p.link, p.number)
}

// write sends a node what there is for it. A node that takes nothing for as long as a silence is lost.
func (m *Machine) write(l *link, out <-chan *message, number int) {
	for {
		select {
		case s, ok := <-out:
			if !ok {
				return
			}
			if err := l.send(s, m.Silence); err != nil {
				l.conn.Close() // which ends read
				return
			}
		case <-m.ctx.Done():
			return
		}
	}
}

// read passes on what a node says, at last that it is lost.
func (m *Machine) read(l *link, number int) {
	for {
		said, err := l.receive()
		w := word{from: l, message: said}
		if err != nil {
			w = word{from: l, message: &message{Node: number}, lost: err}
		}
		select {
		case m.words <- w:
		case <-m.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// send leaves a message for a node; what is left for one that is lost, or takes nothing, is dropped: it is lost soon.
func (m *Machine) send(node int, s *message) {
	p := m.nodes[node]
	if p.link == nil {
		return
	}
	select {
	case p.out <- s:
	default:
		p.link.conn.Close()
	}
}

// up reports whether a node is there.
func (m *Machine) up(node int) bool { return m.nodes[node].link != nil }

// replace kills what is left of a node that is lost and starts another process in its place.
func (m *Machine) replace(number int, why error) error {
	p := m.nodes[number]
	m.Log(fmt.Sprintf("node %d is lost: %v", number, why))
	p.link.conn.Close()
	p.command.Process.Kill()
	p.input.Close()
	close(p.out)
	next, err := m.launch(number)
	if err != nil {
		return err
	}
	m.nodes[number] = next
	return nil
}

// listenFor asks all nodes whether they are there, and gives up those that have said nothing for too long.
func (m *Machine) listenFor(now time.Time) {
	for i, p := range m.nodes {
		if p.link == nil {
			continue
		}
		if now.Sub(p.heard) > m.Silence {
			p.link.conn.Close()
			continue
		}
		m.send(i, &message{Kind: ping})
	}
}

// errNotStarted is the error of a machine that Start has not made.
var errNotStarted = errors.New("testbed: the machine was not started")

// Close ends all processes, and waits until they have ended: first they are told, by the end of their input, then killed.
func (m *Machine) Close() error {
	if m == nil || m.stop == nil {
		return errNotStarted
	}
	m.stop()
	m.listener.Close()
	for _, p := range m.nodes {
		p.input.Close()
		if p.link != nil {
			p.link.conn.Close()
		}
	}
	late := time.AfterFunc(time.Second, func() {
		for _, p := range m.nodes {
			p.command.Process.Kill()
		}
	})
	defer late.Stop()
	for _, p := range m.nodes {
		<-p.ended
	}
	return m.folder.Remove()
}

// Processes returns the process IDs of the nodes.
func (m *Machine) Processes() []int {
	if m == nil {
		return nil
	}
	ids := make([]int, len(m.nodes))
	for i, p := range m.nodes {
		ids[i] = p.command.Process.Pid
	}
	return ids
}
