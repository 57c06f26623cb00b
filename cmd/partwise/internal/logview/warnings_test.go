package logview

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/models/workload/logstats"
)

// TestMachineWarning: jobs that hold more nodes than a log names must share nodes. A number of nodes that the user gave may be
// wrong, too.
func TestMachineWarning(t *testing.T) {
	use := &logstats.Use{Peak: 112, Beyond: 0.047}
	for assumed, want := range map[bool]string{
		true:  "more than the 105 nodes that the log names for 4.7 % of the time: jobs shared nodes, and a shared node counts for each of its jobs",
		false: "more than the machine of 105 nodes has for 4.7 % of the time: is --nodes right, or do jobs share nodes?",
	} {
		if text := (Machine{105, "node", assumed}).Warning(use); !strings.Contains(text, want) {
			t.Errorf("%s; want %s", text, want)
		}
	}
}
