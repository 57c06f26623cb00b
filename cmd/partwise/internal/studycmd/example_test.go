package studycmd_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/studycmd"
	"github.com/partwise/partwise/models/policy"
)

// Sixty jobs of a machine that is divided in two.
func ExampleCommand() {
	dir, err := os.MkdirTemp("", "study")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	p := &cli.Program{Unlisted: []cli.Command{studycmd.Study()}, Policies: policy.Standard()}
	line := []string{"study", "../../../../testdata/joblogs/sacct.txt", "--nodes", "32", "--min-nodes", "16",
		"--output", filepath.Join(dir, "page.html"), "--format", "json", "--quiet"}
	var out bytes.Buffer
	p.Run(context.Background(), line, os.Stdin, &out, os.Stderr)
	var result struct {
		Answer []string `json:"answer"`
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(result.Answer[0])
	fmt.Println(result.Answer[2])
	// Output:
	// Jobs waited 566 s in the log and 3,833 s in the replay: EASY on one pool of 32 nodes does not reproduce this machine. What follows holds for the replay.
	// 60 jobs that came in 4 days are too few to tell whether resizing pays; jobs of 14 days would do.
}
