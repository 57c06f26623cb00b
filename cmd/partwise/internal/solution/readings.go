package solution

import (
	"context"
	"errors"
	"fmt"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/sweep"
)

// Readings says for each series at which loads dynamic partitioning pays if only the resized jobs stop. A series that says who
// stops, or that has the same answer either way, has no text.
func Readings(ctx context.Context, w *decide.Sweep, points []decide.Point) ([]string, error) {
	all, err := w.Readings(ctx, points)
	return ReadingTexts(all), err
}

// ReadingTexts returns the sentences of [Readings] for readings that were made before.
func ReadingTexts(all []decide.Reading) []string {
	var texts []string
	for i := range all {
		r := &all[i]
		switch {
		case errors.Is(r.Err, markov.ErrTooLarge):
			texts = append(texts, r.Series+": "+NotExamined)
		case r.Err != nil:
			texts = append(texts, fmt.Sprintf("%s: whether that holds if only the resized jobs stop is not known: %v", r.Series, r.Err))
		case r.Differs:
			texts = append(texts, fmt.Sprintf("%s: %s%s.", r.Series, IfResized, sweep.Crossings(r.Points)))
		}
	}
	return texts
}
