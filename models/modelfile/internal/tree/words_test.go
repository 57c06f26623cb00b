package tree_test

import (
	"testing"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

// TestNearest: a word is taken for one that it is a slip of, and for none that it merely resembles.
func TestNearest(t *testing.T) {
	known := []string{"solve", "simulate", "validate", "policy", "bash"}
	for word, want := range map[string]string{
		"slove": "solve", "polciy": "policy", "policies": "policy", "simulat": "simulate", "Solve": "solve",
		"tcsh": "", "x": "", "reticulate": "", "": "",
	} {
		if got, ok := tree.Nearest(word, known); ok != (want != "") || ok && got != want {
			t.Errorf("nearest to %q is %q, %v, want %q", word, got, ok, want)
		}
	}
}
