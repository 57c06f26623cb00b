package comparecmd_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/lab/comparecmd"
	"github.com/partwise/partwise/models/policy"
)

// How many policies stand for each family.
func ExampleCompare() {
	p := &cli.Program{Unlisted: []cli.Command{comparecmd.Compare()}, Policies: policy.Standard()}
	line := strings.Fields("compare ../../../../../testdata/examples/malleable.yaml --length 130 --dedicated 0.1s --mpl 2 --format csv")
	var out strings.Builder
	if code := p.Run(context.Background(), line, strings.NewReader(""), &out, io.Discard); code != 0 {
		fmt.Fprintln(os.Stderr, "exit code", code)
	}
	rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
	if err != nil {
		fmt.Println(err)
		return
	}
	policies := map[string]int{}
	for _, row := range rows {
		if row[2] == "utilization" {
			policies[row[0]]++
		}
	}
	fmt.Println(policies)
	// Output: map[coscheduling:3 epochs:1 gang:1 malleable:2 moldable:1 rigid:2]
}
