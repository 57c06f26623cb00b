package decide

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// Crossings says at which loads dynamic partitioning pays. Between two loads on different sides of a crossing nothing is
// known of where it is: the sentence names both, and the command breakeven finds it exactly.
func Crossings(points []decide.Point) string {
	known := slices.DeleteFunc(slices.Clone(points), func(p decide.Point) bool { return p.Decision.Ratio == 0 })
	slices.SortStableFunc(known, func(a, b decide.Point) int { return cmp.Compare(a.Load, b.Load) })
	if len(known) == 0 {
		return "no load at which both ways are stable"
	}
	first, last := output.Load(known[0].Load), output.Load(known[len(known)-1].Load)
	if first == last {
		return fmt.Sprintf("at load %s, the only one at which both ways are stable, the ratio is %.3f%s", first,
			known[0].Decision.Ratio, ifNegligible(known))
	}
	if !slices.ContainsFunc(known, func(p decide.Point) bool { return !decide.Negligible(p.Decision.Ratio) }) {
		return fmt.Sprintf("there is no practical difference between dynamic and static partitioning at any load from %s to %s",
			first, last)
	}
	pays := func(p *decide.Point) bool { return p.Decision.Ratio > 1 }
	var parts []string
	from := first
	for i := range known {
		switch {
		case i == 0:
		case pays(&known[i]) && !pays(&known[i-1]):
			from = between(known[i-1].Load, known[i].Load)
		case !pays(&known[i]) && pays(&known[i-1]):
			parts = append(parts, fmt.Sprintf("from load %s to %s", from, between(known[i-1].Load, known[i].Load)))
		}
	}
	doubt := ifNegligible(slices.DeleteFunc(slices.Clone(known), func(p decide.Point) bool { return !pays(&p) }))
	switch on := pays(&known[len(known)-1]); {
	case on && len(parts) == 0 && from == first:
		return fmt.Sprintf("dynamic partitioning pays at all loads from %s to %s%s", first, last, doubt)
	case on:
		parts = append(parts, fmt.Sprintf("from load %s to %s", from, last))
	case len(parts) == 0:
		return fmt.Sprintf("dynamic partitioning pays at no load from %s to %s", first, last)
	}
	return "dynamic partitioning pays " + strings.Join(parts, " and ") + doubt
}

// ifNegligible says that none of some points shows a practical difference, if that is so.
func ifNegligible(points []decide.Point) string {
	if slices.ContainsFunc(points, func(p decide.Point) bool { return !decide.Negligible(p.Decision.Ratio) }) {
		return ""
	}
	return fmt.Sprintf(", which is no practical difference (less than %s)", output.Percent(decide.PracticalDifference))
}

// between names a load of which its neighbours are known.
func between(a, b float64) string {
	return fmt.Sprintf("somewhere between %s and %s", output.Load(a), output.Load(b))
}

// Readings says of each series where dynamic partitioning pays if only the resized jobs stop, where that is elsewhere
// and the series does not say who stops.
func Readings(ctx context.Context, w *decide.Sweep, points []decide.Point) ([]string, error) {
	all, err := w.Readings(ctx, points)
	return ReadingTexts(all), err
}

// ReadingTexts says the same of readings that were made.
func ReadingTexts(all []decide.Reading) []string {
	var texts []string
	for i := range all {
		r := &all[i]
		switch {
		case errors.Is(r.Err, models.ErrTooLarge):
			texts = append(texts, r.Series+": "+NotExamined)
		case r.Err != nil:
			texts = append(texts, fmt.Sprintf("%s: whether that holds if only the resized jobs stop is not known: %v", r.Series, r.Err))
		case r.Differs:
			texts = append(texts, fmt.Sprintf("%s: %s%s.", r.Series, IfResized, Crossings(r.Points)))
		}
	}
	return texts
}
