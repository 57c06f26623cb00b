package models

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/phasetype"
)

// Free reports whether repartitions cost nothing.
func (s *System) Free() bool { return allZero(s.Shrink) && allZero(s.Expand) }

func allZero(list []phasetype.Dist) bool {
	return !slices.ContainsFunc(list, func(d phasetype.Dist) bool { return !d.IsZero() })
}

// WithOverheads returns the system with the overheads after arrivals and those after departures multiplied by factors.
func (s *System) WithOverheads(shrink, expand float64) (*System, error) {
	if s == nil {
		return nil, wrong("", "there is none")
	}
	scaled := *s
	var err error
	if scaled.Shrink, err = scaleAll(s.Shrink, shrink); err != nil {
		return nil, fmt.Errorf("models: overhead of shrinking times %g: %w", shrink, err)
	}
	if scaled.Expand, err = scaleAll(s.Expand, expand); err != nil {
		return nil, fmt.Errorf("models: overhead of expanding times %g: %w", expand, err)
	}
	return &scaled, nil
}

// scaleAll multiplies distributions by a factor; 0 makes them all zero.
func scaleAll(list []phasetype.Dist, by float64) ([]phasetype.Dist, error) {
	scaled := make([]phasetype.Dist, len(list))
	if by == 0 {
		return scaled, nil
	}
	for i, d := range list {
		var err error
		if scaled[i], err = d.Scale(by); err != nil {
			return nil, err
		}
	}
	return scaled, nil
}
