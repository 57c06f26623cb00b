package validate_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing"

	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/policy"
	"github.com/partwise/partwise/validate"
)

// The exact chains choose the static policy with the least mean response time, so that it alone is simulated.
func ExampleSimulator_Policies() {
	file, err := modelfile.Load("../testdata/ips96/w1-sp2.yaml", modelfile.Set{Path: "arrivals.load", Value: "0.7"})
	if err != nil {
		log.Fatal(err)
	}
	asked := &policy.Selection{Best: true, Named: []policy.Policy{policy.Dynamic{}}}
	s := validate.Simulator{System: file.System}
	policies, best, err := s.Policies(context.Background(), asked)
	fmt.Println(policies, best.Policy, err)
	// Output:
	// [dynamic static:1] static:1 <nil>
}

// TestPoliciesToSimulate: the chains choose among static policies only if they can, and an interruption is an error.
func TestPoliciesToSimulate(t *testing.T) {
	file, err := modelfile.Load("../testdata/ips96/w1-sp2.yaml", modelfile.Set{Path: "arrivals.load", Value: "0.7"})
	if err != nil {
		t.Fatal(err)
	}
	every := policy.Statics(file.System.Machine())
	asked := &policy.Selection{Best: true, Run: every}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s := validate.Simulator{System: file.System}
	if _, _, err := s.Policies(ended, asked); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	s.Sample = []float64{1, 2} // demands that are not those of the system
	if all, best, err := s.Policies(t.Context(), asked); len(all) != len(every) || best != nil || err != nil {
		t.Errorf("of given demands: %v, %v, %v", all, best, err)
	}
	s = validate.Simulator{System: file.System}
	s.Memory = 1 << 10 // too little for any chain
	if all, best, err := s.Policies(t.Context(), asked); len(all) != len(every) || best != nil || err != nil {
		t.Errorf("of chains that are too large: %v, %v, %v", all, best, err)
	}
	if all, best, err := s.Policies(t.Context(), nil); all != nil || best != nil || err != nil {
		t.Errorf("of no selection: %v, %v, %v", all, best, err)
	}
}
