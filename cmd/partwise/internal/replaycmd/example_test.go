package replaycmd_test

import (
	"context"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/replaycmd"
	"github.com/partwise/partwise/models/policy"
)

// A job that can be resized shrinks for one that comes, and pays for it.
func ExampleCommand() {
	table := policy.Standard()
	p := &cli.Program{Unlisted: []cli.Command{replaycmd.Command(table)}, Policies: table}
	log := "; MaxProcs: 8\n" +
		"1 0 -1 100 8 -1 -1 8 100 -1 1 1 -1 -1 -1 -1 -1 -1\n" +
		"2 10 -1 50 4 -1 -1 4 50 -1 1 1 -1 -1 -1 -1 -1 -1\n"
	line := strings.Fields("replay - --policy easy --policy easy-malleable --resize-cost 5s --format table")
	p.Run(context.Background(), line, strings.NewReader(log), os.Stdout, os.Stderr)
	// Output:
	// standard input: 2 jobs on 8 nodes, estimates logged
	//                                                                         times
	//                                    resize  response  waiting   bounded     as
	// policy            load  malleable    cost       [s]      [s]  slowdown   fast
	// easy            12.500          –       –       120       45      1.90   1.00
	// easy-malleable  12.500      100 %     5 s        95        0      1.22   1.27
	// (left out: utilization, backfilled; --wide shows all)
	//
	// Node-hours
	//                                                 imperfect
	// policy           held  useful  reconfiguration    speedup   idle  capacity
	// easy            0.278   0.262            0.000      0.016  0.056     0.333
	// easy-malleable  0.298   0.262            0.022      0.014  0.000     0.298
	//
	// easy-malleable resizes all jobs at 5 s a resize, between 0.5 and 2 times the nodes that they ask for: speedup amdahl:0.01.
	// Best policy if jobs are rigid: easy, 120 s. If every job can be resized, at 5 s a resize: easy-malleable, 95 s.
	// Assumed: stops resized (--stops), speedup amdahl:0.01 (--speedup), min factor 0.5 (--min-factor), max factor 2 (--max-factor).
}
