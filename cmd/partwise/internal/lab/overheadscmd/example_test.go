package overheadscmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/overheadscmd"
)

// What repartitions cost, as a model file has it.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{overheadscmd.Command()}}
	line := strings.Fields("overheads --environment sp2 --nodes 4 --format yaml")
	p.Run(context.Background(), line, strings.NewReader(""), os.Stdout, os.Stderr)
	// Output:
	// dynamic:   # IBM SP2 of 4 nodes: partwise lab overheads
	//   shrink: {means: [null, 1.584s, 0.8833s, 0.8833s], scv: 1}
	//   expand: {means: [2.317s, 1.056s, 1.054s], scv: 1}
}
