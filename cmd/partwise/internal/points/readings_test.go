package points

import (
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/journal"
	"github.com/partwise/partwise/models/decide"
)

// TestReadingsOfMerged: where a series does not say who stops, a merged result says that it is not known what holds if only the
// resized jobs stop.
func TestReadingsOfMerged(t *testing.T) {
	compared := decide.Point{Series: "m", Decision: decide.Decision{Ratio: 2}, Done: true}
	for want, c := range map[string]struct {
		ambiguous bool
		point     decide.Point
	}{
		"m: whether that holds if only the resized jobs stop is not known: ": {true, compared},
		"": {false, compared},
	} {
		s := &Study{Loads: 1, Series: []Series{{Name: "m", Ambiguous: c.ambiguous}}}
		r := newResults(layout{"curve", []*Study{s}}, nil, journal.Shard{})
		r.add(s, 0, &c.point)
		r.Unread()
		if got := strings.Join(r.readings, "\n"); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
