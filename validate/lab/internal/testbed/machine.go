package testbed

import (
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// MostNodes is the largest number of processes that are started.
const MostNodes = 256

// Machine is the processes of a machine, ready to run jobs.
type Machine struct {
	Nodes   int
	intact  context.Context // until a node is lost, which is its cause, or the machine is closed
	stop    context.CancelCauseFunc
	nodes   []*process
	answers chan *message
	epochs  int           // that there ever were
	silence time.Duration // after which a node that does not answer is lost
}

// longestSilence is how long a node may not answer before the machine is given up. A stopped process never answers. A process of a
// machine that does much else answers within a second or so.
const longestSilence = 15 * time.Second

// betweenCalls is the time between two calls that only ask whether a node answers.
const betweenCalls = time.Second

// process is the process of a node, as the scheduler sees it.
type process struct {
	command *exec.Cmd
	calls   *gob.Encoder
	address string        // of its socket
	answers chan struct{} // an answer to the call that asks whether the node answers
}

// Start starts a process for each node of a machine, and waits until all of them can be reached. Close ends the processes;
// they also end with ctx. The error names the node that does not answer.
func Start(ctx context.Context, nodes int) (*Machine, error) {
	return start(ctx, nodes, longestSilence)
}

// start starts a machine whose nodes are lost if they do not answer for so long.
func start(ctx context.Context, nodes int, silence time.Duration) (*Machine, error) {
	m := &Machine{Nodes: nodes, answers: make(chan *message), silence: silence}
	m.intact, m.stop = context.WithCancelCause(ctx)
	for i := range nodes {
		if err := m.launch(); err != nil {
			m.Close()
			return nil, fmt.Errorf("testbed: cannot start a machine of processes: node %d does not answer: %w", i,
				cmp.Or(ctx.Err(), err)) // nodes end when the machine is not wanted any more
		}
	}
	return m, nil
}

// launch starts the process of a node, which is this program, calls [Serve] if [IsNode], and says where it is. It ends when its input
// does, and is killed if it does not.
func (m *Machine) launch() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := &process{command: exec.CommandContext(m.intact, self), answers: make(chan struct{}, 1)}
	p.command.Env = append(os.Environ(), nodeVariable+"=1")
	p.command.Stderr = os.Stderr
	p.command.WaitDelay = time.Second
	input, err := p.command.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	p.command.Cancel = input.Close
	if err := p.command.Start(); err != nil {
		return err
	}
	m.nodes = append(m.nodes, p)
	silent := time.AfterFunc(m.silence, func() { _ = p.command.Process.Kill() })
	defer silent.Stop()
	if err := gob.NewDecoder(out).Decode(&p.address); err != nil {
		return err
	}
	connection, err := net.Dial("unix", p.address)
	if err != nil {
		return err
	}
	p.calls = gob.NewEncoder(connection)
	go m.listen(p, connection)
	go m.watch(len(m.nodes)-1, p)
	return nil
}

// watch asks a node once a second whether it answers. A node that is silent for too long is lost, and the run of the machine ends
// with an error that names the node. watch returns when the machine is closed.
func (m *Machine) watch(number int, p *process) {
	for m.intact.Err() == nil {
		silent := time.AfterFunc(m.silence, func() {
			id := p.command.Process.Pid
			m.stop(fmt.Errorf("testbed: node %d (process %d) has not answered for %v: it is stopped, or its processor is busy; if it is "+
				"stopped, continue it by kill -CONT %d", number, id, m.silence, id))
		})
		_ = p.calls.Encode(&message{Call: alive}) // which waits where the node takes nothing in
		select {
		case <-p.answers:
		case <-m.intact.Done():
		}
		silent.Stop()
		select {
		case <-time.After(betweenCalls):
		case <-m.intact.Done():
		}
	}
}

// listen passes the answers of a node on to m.answers, until the connection ends: then the node is lost, and the run of the
// machine ends with an error. It returns when the machine is closed.
func (m *Machine) listen(p *process, node net.Conn) {
	defer node.Close()
	for answers := gob.NewDecoder(node); ; {
		var answer message
		if err := answers.Decode(&answer); err != nil {
			m.stop(fmt.Errorf("testbed: a node is lost: %w", err))
			return
		}
		if answer.Call == alive {
			p.answers <- struct{}{} // each call is answered once, and the next one follows the answer
			continue
		}
		select {
		case m.answers <- &answer:
		case <-m.intact.Done():
		}
	}
}

// send calls a node, whose answer is heard later. A node that cannot be reached is lost, which listen finds out.
func (m *Machine) send(node int, s *message) { _ = m.nodes[node].calls.Encode(s) }

// Close ends the processes of all nodes, waits until they have ended, and removes their sockets.
func (m *Machine) Close() {
	m.stop(nil)
	for _, p := range m.nodes {
		_ = p.command.Wait() // however it ended
		if p.address != "" {
			os.RemoveAll(filepath.Dir(p.address)) // of a node that was killed
		}
	}
}
