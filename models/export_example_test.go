package models_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

// The M/M/1 queue as PRISM reads it.
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
	text, err := os.ReadFile(filepath.Join(dir, "queue", "static-1", "chain.lab"))
	lines := strings.SplitN(string(text), "\n", 4)
	fmt.Print(strings.Join(lines[:3], "\n"), err)
	// Output:
	// 0="init" 1="deadlock" 2="empty" 3="running" 4="repartitioning" 5="full"
	// 0: 0 2
	// 1: 3<nil>
}
