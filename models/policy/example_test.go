package policy_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/models/policy"
)

// What a flag says becomes a policy, which is a value.
func ExampleTable_Parse() {
	p, err := policy.Standard().Parse("static:4")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p, p == policy.Static{Partitions: 4})
	_, err = policy.Standard().Parse("capped")
	fmt.Println(err)
	// Output:
	// static:4 true
	// policy capped: write capped:K with the largest number of jobs that run
}

// What is asked of a machine of 16 nodes, in partitions of at least 4.
func ExampleTable_Select() {
	m := policy.Machine{Nodes: 16, Unit: 4}
	asked, err := policy.Standard().Select(m, policy.Chain, "dynamic", policy.BestStatic)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("run: ", asked.Run)
	fmt.Println("show:", asked.Named, asked.Best)
	_, err = policy.Standard().Select(m, policy.Chain, "static:8")
	fmt.Println(err)
	// Output:
	// run:  [dynamic static:1 static:2 static:4]
	// show: [dynamic] true
	// policy static:8: the machine can be split into 1, 2, 4 equal partitions
}

// halves gives every job half of the machine.
type halves struct{}

func (halves) Name() string               { return "halves" }
func (halves) String() string             { return "halves" }
func (halves) Check(policy.Machine) error { return nil }

// A policy of one's own is one entry more.
func ExampleTable_With() {
	table := policy.Standard().With(policy.Entry{Name: "halves", Example: "halves", RunsOn: policy.WholeNodes,
		Summary: "gives every job half of the machine",
		New:     func(string) (policy.Policy, error) { return halves{}, nil }})
	p, err := table.Parse("halves")
	fmt.Println(p, err)
	fmt.Println(len(table.On(policy.WholeNodes)) - len(policy.Standard().On(policy.WholeNodes)))
	// Output:
	// halves <nil>
	// 1
}
