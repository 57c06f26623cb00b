package testbed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Config describes a machine of processes.
type Config struct {
	Nodes int
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
	ctx    context.Context
	stop   context.CancelFunc
	nodes  []*process
	words  chan word
	joins  chan func() error // that enter nodes which are there
	epochs int               // that there ever were
}

// process is the process of a node, as the scheduler sees it.
type process struct {
	number  int
	command *exec.Cmd
	input   io.WriteCloser
	ended   chan struct{} // closed when the process has ended
	client  *rpc.Client   // nil until the node is there
	address string
}

// word is the answer of a node to a call, or that it is lost.
type word struct {
	from   *process
	method string
	asked  *Message
	data   []byte
	lost   error
}

// Start starts the processes of a machine and waits until all are there. Close ends them.
func Start(ctx context.Context, c Config) (*Machine, error) {
	if c.Nodes < 1 || c.Nodes > MostNodes {
		return nil, fmt.Errorf("testbed: %d nodes are not between 1 and %d", c.Nodes, MostNodes)
	}
	c.Silence = cmp.Or(c.Silence, 10*time.Second)
	if c.Log == nil {
		c.Log = func(string) {}
	}
	m := &Machine{Config: c, words: make(chan word, 1024), joins: make(chan func() error, c.Nodes)}
	m.ctx, m.stop = context.WithCancel(ctx)
	if err := m.startNodes(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// startNodes starts the processes of all nodes.
func (m *Machine) startNodes() error {
	for i := range m.Nodes {
		if err := m.launch(i); err != nil {
			return err
		}
	}
	return m.await()
}

// await waits until all nodes are there.
func (m *Machine) await() error {
	late := time.NewTimer(m.Silence)
	defer late.Stop()
	for missing := m.Nodes; missing > 0; missing-- {
		select {
		case join := <-m.joins:
			if err := join(); err != nil {
				return err
			}
		case <-late.C:
			return fmt.Errorf("testbed: %d of %d nodes did not come within %v", missing, m.Nodes, m.Silence)
		case <-m.ctx.Done():
			return context.Cause(m.ctx)
		}
	}
	return nil
}

// launch starts the process of a node, which is this program, calls [Serve] if [IsNode], and joins the machine when it has said where it is.
func (m *Machine) launch(number int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &process{number: number, ended: make(chan struct{})}
	p.command = exec.Command(self)
	p.command.Env = append(os.Environ(), nodeVariable+"=1")
	p.command.Stderr = os.Stderr
	out, err := p.command.StdoutPipe()
	if err == nil {
		p.input, err = p.command.StdinPipe()
	}
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return err
	}
	if number == len(m.nodes) {
		m.nodes = append(m.nodes, nil)
	}
	m.nodes[number] = p
	go func() {
		defer close(p.ended)
		defer p.command.Wait()
		var address string
		var client *rpc.Client
		err := json.NewDecoder(out).Decode(&address)
		if err == nil {
			client, err = rpc.Dial("unix", address)
		}
		select {
		case m.joins <- func() error {
			if err != nil {
				return fmt.Errorf("testbed: node %d does not answer: %w", number, err)
			}
			p.client, p.address = client, address
			go m.watch(p)
			return nil
		}:
		case <-m.ctx.Done():
		}
	}()
	return nil
}

// watch calls a node again and again, until it is lost. A node that does not answer for as long as a silence is lost.
func (m *Machine) watch(p *process) {
	for m.ctx.Err() == nil {
		late := time.AfterFunc(m.Silence, func() { p.client.Close() })
		lost := p.client.Call("Node.Ping", &Message{}, new([]byte))
		if late.Stop(); lost != nil {
			m.hand(word{from: p, lost: lost})
			return
		}
		select {
		case <-time.After(m.Silence / 10):
		case <-m.ctx.Done():
		}
	}
}

// hand passes on what a node says.
func (m *Machine) hand(w word) {
	select {
	case m.words <- w:
	case <-m.ctx.Done():
	}
}

// send calls a method of a node, whose answer is a word. What is sent to a node that is lost is dropped.
func (m *Machine) send(node int, method string, s *Message) {
	p := m.nodes[node]
	if p.client == nil {
		return
	}
	go func() {
		w := word{from: p, method: method, asked: s}
		w.lost = p.client.Call("Node."+method, s, &w.data)
		m.hand(w)
	}()
}

// up reports whether a node is there.
func (m *Machine) up(node int) bool { return m.nodes[node].client != nil }

// replace kills what is left of a node that is lost and starts another process in its place.
func (m *Machine) replace(number int, why error) error {
	p := m.nodes[number]
	m.Log(fmt.Sprintf("node %d is lost: %v", number, why))
	p.client.Close()
	p.command.Process.Kill()
	p.input.Close()
	os.RemoveAll(filepath.Dir(p.address))
	return m.launch(number)
}

// epoch returns another number than ever before.
func (m *Machine) epoch() int {
	m.epochs++
	return m.epochs
}

// Close ends all processes, and waits until they have ended: first they are told, by the end of their input, then killed.
func (m *Machine) Close() {
	m.stop()
	for _, p := range m.nodes {
		p.input.Close()
		if p.client != nil {
			p.client.Close()
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
		if p.address != "" {
			os.RemoveAll(filepath.Dir(p.address)) // of a node that was killed
		}
	}
}

// Processes returns the process IDs of the nodes.
func (m *Machine) Processes() []int {
	ids := make([]int, len(m.nodes))
	for i, p := range m.nodes {
		ids[i] = p.command.Process.Pid
	}
	return ids
}
