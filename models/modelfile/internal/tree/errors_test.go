package tree_test

import (
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// TestSayNothing: a file has nothing of a model if it cannot be read, or if machine and arrivals are missing; JSON that cannot be read
// may be a model.
func TestSayNothing(t *testing.T) {
	missing := func(path string) *tree.Error { return &tree.Error{Path: path, Problem: "is missing"} }
	for i, c := range []struct {
		mistakes tree.Errors
		text     string
		want     bool
	}{{nil, "", false}, {tree.Errors{nil}, "", false}, {tree.Errors{{Problem: "is not YAML"}}, "1 2 3", true},
		{tree.Errors{{Problem: "is not JSON"}}, " {\"machine\"", false}, {tree.Errors{missing("machine")}, "", false},
		{tree.Errors{missing("machine"), missing("arrivals")}, "a: 1", true},
		{tree.Errors{{Path: "machine", Problem: "is no map"}, missing("arrivals")}, "", false}} {
		if got := c.mistakes.SayNothing([]byte(c.text)); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}
