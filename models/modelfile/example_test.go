package modelfile_test

import (
	"errors"
	"fmt"
	"os"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/modelfile/internal/tree"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/phasetype"
)

func Example() {
	m, err := modelfile.Parse("m.yaml", []byte(`
title: Two nodes
time_unit: min
machine: {nodes: 2}
arrivals: {rate: 3/h}
jobs:
  demand: {hyperexponential: {mean: 1h, scv: 4}}
  speedup: {amdahl: {serial: 0.1}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, b := range m.System.Service {
		fmt.Printf("%d running: %.2f %s each\n", i+1, b.Mean(), m.TimeUnit.Name)
	}
	fmt.Printf("load %.2f\n", m.System.Load())
	// Output:
	// 1 running: 33.00 min each
	// 2 running: 60.00 min each
	// load 1.50
}

func ExampleErrors() {
	_, err := modelfile.Parse("m.yaml", []byte(`machine: {nodes: 2}
arrivals: {rate: 30s}
jobs:
  service:
    - {hyperexponential: {mean: 1, scvv: 4}}
    - {exponential: {mean: 2}}
`))
	var errs tree.Errors
	if errors.As(err, &errs) {
		for _, e := range errs {
			fmt.Println(e)
			fmt.Print(e.Excerpt())
		}
	}
	// Output:
	// m.yaml:2:18: arrivals.rate: expected a rate, got "30s"; that is a time; write a number per s, or with a unit such as "2/h"
	//    2 | arrivals: {rate: 30s}
	//      |                  ^
	// m.yaml:5:36: jobs.service[0].hyperexponential.scvv: unknown field; did you mean "scv"?
	//    5 |     - {hyperexponential: {mean: 1, scvv: 4}}
	//      |                                    ^
}

func ExampleWriteModel() {
	demand, err := phasetype.Hyperexponential([]float64{0.9, 0.1}, []float64{10, 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	arrivals, err := phasetype.Renewal(phasetype.Must(phasetype.Exponential(0.02)))
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := models.NewSystem(8, 4, arrivals, demand, workload.Amdahl{Serial: 0.05})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Shrink = []phasetype.Dist{{}, phasetype.Must(phasetype.Erlang(2, 3))}
	if err := modelfile.WriteModel(os.Stdout, &modelfile.Model{Title: "Two halves", System: s}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// version: 1
	// title: Two halves
	// time_unit: s
	// machine: {nodes: 8, min_nodes: 4}
	// arrivals: {rate: 0.02}
	// jobs:
	//   demand: {hyperexponential: {means: [10, 200], weights: [0.9, 0.1]}}
	//   speedup: amdahl:0.05
	// dynamic:
	//   shrink:
	//     - null
	//     - {erlang: {mean: 3, phases: 2}}
}

func ExampleParseOver() {
	sizes, err := modelfile.ParseOver("machine.nodes=4,8:16:4")
	if err != nil {
		fmt.Println(err)
		return
	}
	study, err := modelfile.ParseStudy("m.yaml", []byte(`
machine: {nodes: 2}
arrivals: {rate: 3/h}
jobs: {demand: {exponential: {mean: 1h}}, speedup: linear}
`), sizes, modelfile.SetLoads("0.5"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range study.Series {
		fmt.Printf("%s: capacity %.4f per %s\n", s.Name, s.Model.System.Capacity(), s.Model.TimeUnit.Name)
	}
	// Output:
	// machine.nodes=4: capacity 0.0011 per s
	// machine.nodes=8: capacity 0.0022 per s
	// machine.nodes=12: capacity 0.0033 per s
	// machine.nodes=16: capacity 0.0044 per s
}
