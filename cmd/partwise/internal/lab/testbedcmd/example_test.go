package testbedcmd_test

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/testbedcmd"
	"github.com/partwise/partwise/models/policy"
)

// A program with this command alone, whose nodes are processes of the same program.
func Example() {
	p := &cli.Program{Unlisted: []cli.Command{testbedcmd.Testbed()}, Policies: policy.Standard()}
	line := strings.Fields("testbed measure --nodes 2 --phase 10ms --gap 60ms --times 2 --mean 50ms --least-idle 0 --format csv --quiet")
	r, w := io.Pipe()
	go func() { w.CloseWithError(p.Execute(context.Background(), line, strings.NewReader(""), w, os.Stderr)) }()
	out, err := io.ReadAll(r)
	if err != nil {
		panic(err)
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
