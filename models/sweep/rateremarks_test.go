package sweep_test

import (
	"testing"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
)

// TestRateRemarks: a remark is made only where points of one load have different arrival rates.
func TestRateRemarks(t *testing.T) {
	hours := sweep.Series{TimeUnit: "h"}
	for name, c := range map[string]struct {
		series []sweep.Series
		points []decide.Point
		want   int
	}{
		"a load, two rates": {[]sweep.Series{hours, hours}, []decide.Point{{Load: .6, ArrivalRate: 3}, {Load: .6, ArrivalRate: 4}}, 1},
		"a load, one rate":  {[]sweep.Series{hours, hours}, []decide.Point{{Load: .6, ArrivalRate: 3}, {Load: .6 + 1e-15, ArrivalRate: 3 + 1e-13}}, 0},
		"two loads":         {[]sweep.Series{hours, hours}, []decide.Point{{Load: .6, ArrivalRate: 3}, {Load: .8, ArrivalRate: 4}}, 0},
		"two units": {[]sweep.Series{hours, {TimeUnit: "min"}},
			[]decide.Point{{Load: .6, ArrivalRate: 3}, {Load: .6, ArrivalRate: 180}}, 0},
	} {
		s := &sweep.Study{Loads: 1, Series: c.series, Points: c.points}
		if got := s.RateRemarks(); len(got) != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
