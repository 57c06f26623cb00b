package explore_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/partwise/partwise/validate/explore"
)

func ExampleTo() {
	text := explore.To(context.Background(), []byte(`{"kind": "curve", "loads": [0.5],
		"model": "{version: 1, machine: {nodes: 1}, arrivals: {rate: 1}, jobs: {demand: {exponential: {mean: 1}}, speedup: linear}}"}`), explore.Words{})
	var points []struct {
		Load, Dynamic, Static, Ratio float64
		Partitions                   int
	}
	if err := json.Unmarshal(text, &points); err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range points {
		fmt.Printf("load %g: dynamic %.6f, static:%d %.6f, ratio %.6f\n", p.Load, p.Dynamic, p.Partitions, p.Static, p.Ratio)
	}
	// Output: load 0.5: dynamic 2.000000, static:1 2.000000, ratio 1.000000
}
