package models_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// The M/M/1 queue as PRISM reads it.
func ExampleChain_Write() {
	run, _ := phasetype.Exponential(2)
	gap, _ := phasetype.Exponential(1)
	arrivals, _ := phasetype.Renewal(gap)
	s, err := models.NewSystem(1, 1, arrivals, run, workload.Linear{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := models.NewChain(context.Background(), s, policy.Static{Partitions: 1}, "s", models.ChainOptions{Lost: 0.1})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := c.Write(context.Background(), filepath.Join(dir, "queue")); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "queue", "chain.tra"))
	fmt.Print(strings.TrimSpace(string(text)), err)
	// Output:
	// 4 6
	// 0 1 1
	// 1 0 2
	// 1 2 1
	// 2 1 2
	// 2 3 1
	// 3 2 2<nil>
}
