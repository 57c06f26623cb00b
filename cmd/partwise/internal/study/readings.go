package study

import (
	"context"
	"errors"
	"fmt"

	answer "github.com/partwise/partwise/cmd/partwise/internal/decide"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/decide"
)

// Readings says of each series where dynamic partitioning pays if only the resized jobs stop, where that is elsewhere
// and the series does not say who stops.
func Readings(ctx context.Context, w *decide.Sweep, points []decide.Point) ([]string, error) {
	all, err := w.Readings(ctx, points)
	if err != nil {
		return nil, err
	}
	var texts []string
	for i := range all {
		r := &all[i]
		switch {
		case errors.Is(r.Err, models.ErrTooLarge):
			texts = append(texts, r.Series+": "+answer.NotExamined)
		case r.Err != nil:
			texts = append(texts, fmt.Sprintf("%s: whether that holds if only the resized jobs stop is not known: %v", r.Series, r.Err))
		case r.Differs:
			texts = append(texts, fmt.Sprintf("%s: %s%s.", r.Series, answer.IfResized, Crossings(r.Points)))
		}
	}
	return texts, nil
}
