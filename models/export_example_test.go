package models_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// The rates of the M/M/1 queue.
func ExampleWriteChains() {
	run, _ := phasetype.Exponential(2)
	gap, _ := phasetype.Exponential(1)
	arrivals, _ := phasetype.Renewal(gap)
	s, err := models.NewSystem(1, 1, arrivals, run, workload.Linear{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := models.NewChain(context.Background(), s, policy.Static{Partitions: 1}, "s", markov.Settings{})
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
	if err := models.WriteChains(context.Background(), filepath.Join(dir, "queue"), []*models.Chain{c}); err != nil {
		fmt.Println(err)
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, "queue", "static-1", "blocks.csv"))
	fmt.Print(string(text), err)
	// Output:
	// level,block,from,to,rate
	// 0,up,0,0,1
	// 1,down,0,0,2
	// 1,up,0,0,1
	// 2,down,0,0,2
	// 2,up,0,0,1
	// <nil>
}
