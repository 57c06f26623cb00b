package models

import (
	"fmt"
	"maps"
	"slices"

	"github.com/partwise/partwise/phasetype"
)

// Free reports whether repartitions cost nothing.
func (s *System) Free() bool {
	s = s.orEmpty()
	return allZero(s.Shrink) && allZero(s.Expand)
}

func allZero(list []phasetype.Dist) bool {
	return !slices.ContainsFunc(list, func(d phasetype.Dist) bool { return !d.IsZero() })
}

// Changes are functions that change the times of a system that are not zero. A nil function leaves them as they are.
type Changes struct {
	Run, Shrink, Expand, Setup func(phasetype.Dist) (phasetype.Dist, error)
}

// With returns the system with its times changed. Run changes each B_i, and the demands from which they are made.
func (s *System) With(c Changes) (*System, error) {
	if s == nil {
		return nil, wrong("", "there is none")
	}
	changed := *s
	var err error
	each := func(list []phasetype.Dist, change func(phasetype.Dist) (phasetype.Dist, error)) []phasetype.Dist {
		list = slices.Clone(list)
		for i, d := range list {
			if change != nil && err == nil && !d.IsZero() {
				list[i], err = change(d)
			}
		}
		return list
	}
	changed.Service, changed.Shrink, changed.Expand = each(s.Service, c.Run), each(s.Shrink, c.Shrink), each(s.Expand, c.Expand)
	changed.Demand = each([]phasetype.Dist{s.Demand}, c.Run)[0]
	changed.Classes, changed.Setup = slices.Clone(s.Classes), maps.Clone(s.Setup)
	for k, class := range s.Classes {
		changed.Classes[k].Demand = each([]phasetype.Dist{class.Demand}, c.Run)[0]
	}
	for _, k := range slices.Sorted(maps.Keys(s.Setup)) { // the first error is the same every time
		changed.Setup[k] = each([]phasetype.Dist{s.Setup[k]}, c.Setup)[0]
	}
	return &changed, err
}

// Times returns a change that multiplies times by a factor. The factor 0 makes them zero.
func Times(factor float64) func(phasetype.Dist) (phasetype.Dist, error) {
	return func(d phasetype.Dist) (phasetype.Dist, error) {
		if factor == 0 {
			return phasetype.Dist{}, nil
		}
		scaled, err := d.Scale(factor)
		if err != nil {
			return d, fmt.Errorf("models: a time times %g: %w", factor, err)
		}
		return scaled, nil
	}
}
