package modelfile_test

import (
	"errors"
	"testing"

	"github.com/partwise/partwise/models/modelfile"
)

func TestIsBinary(t *testing.T) {
	for text, want := range map[string]bool{"machine: {nodes: 8}\n": false, "\x7fELF\x02\x00\x00\x00\x90\x00": true,
		"\xff\xfem\x00a\x00c\x00h\x00": false, "a name with a null \x00 in it, and a lot of text": false, "": false} {
		if got := modelfile.IsBinary([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A similar queue is in correct notation.
func TestSimilarQueues(t *testing.T) {
	for wrong, want := range map[string]string{"MAP(a.json)/M": "MAP(arrivals.map.json)/M/4",
		"M/PH(w.json)/x": "M/PH(work.ph.json)/4", "M/G/4": "M/G[scv=4]/4", "M/M/none": "M/M/4"} {
		if got := (&modelfile.QueueError{Notation: wrong}).Similar(); got != want {
			t.Errorf("%s: %s, want %s", wrong, got, want)
		}
	}
	for _, queue := range []string{"M/G[scv=4]/4", "M/M/4"} {
		var wrong *modelfile.QueueError
		if _, err := modelfile.QueueModel(queue); errors.As(err, &wrong) {
			t.Errorf("%s: %v", queue, err)
		}
	}
}
