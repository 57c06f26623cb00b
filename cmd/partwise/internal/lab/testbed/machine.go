package testbed

import (
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

// MostNodes is the largest number of processes that are started.
const MostNodes = 256

// Machine is the processes of a machine, ready to run jobs.
type Machine struct {
	Nodes   int
	ctx     context.Context
	stop    context.CancelFunc
	nodes   []*process
	answers chan *rpc.Call
	epochs  int // that there ever were
}

// process is the process of a node, as the scheduler sees it.
type process struct {
	command *exec.Cmd
	client  *rpc.Client
	address string
}

// mostCalls bounds the calls of a node that are not answered yet.
const mostCalls = 16

// Start starts the processes of a machine. Close ends them.
func Start(ctx context.Context, nodes int) (*Machine, error) {
	m := &Machine{Nodes: nodes, answers: make(chan *rpc.Call, mostCalls*nodes)}
	m.ctx, m.stop = context.WithCancel(ctx)
	for i := range nodes {
		if err := m.launch(); err != nil {
			m.Close()
			if ctx.Err() != nil { // the nodes ended because the machine is not wanted any more
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("testbed: node %d does not answer: %w", i, err)
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
	p := &process{command: exec.CommandContext(m.ctx, self)}
	p.command.Env = append(os.Environ(), nodeVariable+"=1")
	p.command.Stderr = os.Stderr
	p.command.WaitDelay = time.Second
	var input io.Closer
	p.command.Cancel = func() error { return input.Close() }
	out, err := p.command.StdoutPipe()
	if err == nil {
		input, err = p.command.StdinPipe()
	}
	if err == nil {
		err = p.command.Start()
	}
	if err != nil {
		return err
	}
	m.nodes = append(m.nodes, p)
	if err := json.NewDecoder(out).Decode(&p.address); err != nil {
		return err
	}
	p.client, err = rpc.Dial("unix", p.address)
	return err
}

// send calls a method of a node, whose answer is heard later.
func (m *Machine) send(node int, method string, s *Message) {
	m.nodes[node].client.Go("Node."+method, s, new([]byte), m.answers)
}

// Close ends all processes, and waits until they have ended.
func (m *Machine) Close() {
	m.stop()
	for _, p := range m.nodes {
		_ = p.command.Wait() // however it ended
		if p.address != "" {
			os.RemoveAll(filepath.Dir(p.address)) // of a node that was killed
		}
	}
}
