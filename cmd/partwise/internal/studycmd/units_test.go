package studycmd

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/validate/study"
)

// TestUnits: where other policies give nodes in larger units than the rule, the page says so: the same policy has two mean
// response times.
func TestUnits(t *testing.T) {
	v := view{Answer: &study.Answer{Unit: 1, Rivals: study.Rivals{Unit: 16}}}
	if got := v.units(); len(got) != 1 || !strings.Contains(got[0], "multiples of 16 nodes") {
		t.Errorf("%q does not name the units of 16 nodes", got)
	}
	if v.Unit = 16; v.units() != nil {
		t.Errorf("%q, where all units are the same", v.units())
	}
}
