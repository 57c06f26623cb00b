package testbedcmd_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/testbedcmd"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate/lab"
)

// TestMain makes the test binary a node where the command starts one.
func TestMain(m *testing.M) {
	if lab.IsProcess() {
		if err := lab.ServeProcess(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "node:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A program with this command alone, whose nodes are processes of the same program.
func Example() {
	p := &cli.Program{Unlisted: []cli.Command{testbedcmd.Testbed()}, Policies: policy.Standard()}
	var out []byte
	for _, gap := range []string{"40ms", "300ms", "2s"} { // on a busy processor jobs miss each other, if they come too soon
		line := strings.Fields("testbed measure --nodes 2 --phase 10ms --gap " + gap + " --times 2 --mean 50ms --least-idle 0 --format csv --quiet")
		r, w := io.Pipe()
		go func() { w.CloseWithError(p.Execute(context.Background(), line, strings.NewReader(""), w, os.Stderr)) }()
		var err error
		if out, err = io.ReadAll(r); err == nil {
			break
		}
	}
	for line := range strings.Lines(string(out)) {
		os.Stdout.WriteString(strings.Join(strings.Split(line, ",")[:4], ",") + "\n")
	}
	// Output:
	// why,jobs,times,resized
	// arrival,1,2,0
	// arrival,2,2,1
	// departure,1,2,1
}
