package coschedulecmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/coschedulecmd"
	"github.com/partwise/partwise/models/policy"
)

// Gang scheduling beside spin-block on a small cluster, a row for each.
func ExampleCommand() {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{coschedulecmd.Command(table)}, Policies: table}
	line := strings.Fields("coschedule --policies gs,sb --nodes 4 --jobs 20 --dedicated 0.1 --load 0.5 --format csv")
	var out bytes.Buffer
	p.Run(context.Background(), line, strings.NewReader(""), &out, os.Stdout)
	for row := range strings.Lines(out.String()) {
		fmt.Println(strings.Join(strings.Split(row, ",")[:5], ","))
	}
	// Output:
	// case,policy,workload,load,jobs
	// wl7,gs,wl7,0.5,90
	// wl7,sb,wl7,0.5,90
}
