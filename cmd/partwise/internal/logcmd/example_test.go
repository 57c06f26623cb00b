package logcmd_test

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/logcmd"
)

// A log is written in another format; its jobs are put in the order of their submission.
func ExampleCommand() {
	p := &cli.Program{Unlisted: []cli.Command{logcmd.Command()}}
	log := "; MaxProcs: 8\n" +
		"1 20 -1 100 8 -1 -1 8 100 -1 1 1 -1 -1 -1 -1 -1 -1\n" +
		"2 10 -1 50 4 -1 -1 4 50 -1 1 1 -1 -1 -1 -1 -1 -1\n"
	p.Run(context.Background(), strings.Fields("log - --convert-to csv"), strings.NewReader(log), os.Stdout, io.Discard)
	// Output:
	// job,submitted,submit_time,waiting_time,run_time,nodes,requested_time,status,user,group,application,queue,partition
	// 2,,10,,50,4,50,completed,1,,,,
	// 1,,20,,100,8,100,completed,1,,,,
}
