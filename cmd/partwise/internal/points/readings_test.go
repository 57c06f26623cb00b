package points

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
)

// TestReadingsOfMerged: what holds if only the resized jobs stop comes from points that were solved for that, and where
// none was, although the series does not say who stops, that is said.
func TestReadingsOfMerged(t *testing.T) {
	compared := decide.Point{Series: "m", Decision: decide.Decision{Ratio: 2}, Done: true}
	large := compared
	large.Resized = &decide.Resized{Err: markov.ErrTooLarge}
	for want, c := range map[string]struct {
		ambiguous bool
		point     decide.Point
	}{
		"m: whether that holds if only the resized jobs stop is not known: ": {true, compared},
		"m: Whether that holds if only the resized jobs stop was not examin": {true, large},
		"": {false, compared},
	} {
		s := &Study{Study: &sweep.Study{Loads: 1, Series: []sweep.Series{{Name: "m", Ambiguous: c.ambiguous}}}}
		r, err := newResults(layout{"curve", []*Study{s}}, nil, sweep.Shard{})
		if err != nil {
			t.Fatal(err)
		}
		s.Points[0] = c.point
		r.Read()
		if got := strings.Join(r.readings, "\n"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
