package fitcmd_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fitcmd"
)

// The first moments of a fitted distribution, each measure on a line.
func ExamplePH() {
	p := &cli.Program{Unlisted: []cli.Command{fitcmd.PH()}}
	line := strings.Fields("ph show ../../../../testdata/examples/checkpoint.ph.json --format csv")
	var table bytes.Buffer
	p.Run(context.Background(), line, strings.NewReader(""), &table, os.Stderr)
	for i, row := range strings.Split(table.String(), "\n") {
		if measure, _, _ := strings.Cut(row, ","); 0 < i && i < 6 {
			fmt.Println(measure)
		}
	}
	// Output:
	// phases
	// mean
	// standard_deviation
	// scv
	// skewness
}
