package overheads_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/partwise/partwise/markov/parallel"
	"github.com/partwise/partwise/validate/lab/internal/overheads"
)

func TestMachines(t *testing.T) {
	change, err := overheads.ParseChange("connect=0.5")
	if err != nil || change != (overheads.Change{Step: "connect", Cost: 0.5}) {
		t.Fatalf("%+v, %v", change, err)
	}
	for _, wrong := range []string{"connect", "connect=fast", "connect=-1", "conect=1"} {
		if _, err := overheads.ParseChange(wrong); err == nil {
			t.Errorf("%q is a change", wrong)
		}
	}
	all, err := overheads.Machines(overheads.Environments(), []overheads.Change{change}, []int{4, 8}, 2, 1e9)
	if err != nil || len(all) != 4 {
		t.Fatalf("%d machines, %v", len(all), err)
	}
	for i, m := range all {
		if m.Nodes != []int{4, 4, 8, 8}[i] || m.Steps[overheads.Connect] != 0.5 || len(m.Rows()) != m.Nodes-1 {
			t.Errorf("%+v", m)
		}
	}
	if _, err := overheads.Machines(overheads.Environments(), nil, []int{5}, 2, 1e9); err == nil {
		t.Error("5 nodes are divided into pairs")
	}
	if _, err := overheads.Machines(overheads.Environments(), nil, []int{4}, 0, 1e9); err == nil || errors.Is(err, parallel.ErrTooLarge) {
		t.Errorf("partitions of no nodes: %v", err)
	}
	if _, err := overheads.Machines(overheads.Environments(), nil, []int{4096}, 1, 1e6); !errors.Is(err, parallel.ErrTooLarge) {
		t.Errorf("lists of any length fit into a megabyte: %v", err)
	}
}

// A model file has the costs of the repartitions after which so many jobs run, but for the start of the first. A machine of one
// partition never expands.
func TestSectionOfAModelFile(t *testing.T) {
	all, err := overheads.Machines(overheads.Environments()[1:], nil, []int{1, 3}, 1, 1e9)
	if err != nil {
		t.Fatal(err)
	}
	want := "dynamic:   # IBM SP2 of 1 node: partwise lab overheads\n  shrink: {means: [null], scv: 2}\n"
	if got := all[0].Section(2); got != want {
		t.Errorf("one node: %q", got)
	}
	if got := new(overheads.Machine).Section(2); got != "" {
		t.Errorf("no machine: %q", got)
	}
	m := all[1]
	want = fmt.Sprintf("dynamic:   # IBM SP2 of 3 nodes: partwise lab overheads\n  shrink: {means: [null, %.3fs, %.4fs], scv: 0.5}\n"+
		"  expand: {means: [%.3fs, %.3fs], scv: 0.5}\n", m.Shrink[1].Total, m.Shrink[2].Total, m.Expand[0].Total, m.Expand[1].Total)
	if got := m.Section(0.5); got != want {
		t.Errorf("three nodes: %q, want %q", got, want)
	}
}
