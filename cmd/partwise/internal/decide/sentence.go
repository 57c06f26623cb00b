package decide

import (
	"fmt"
	"math"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// Answer says in a sentence or two what the comparison means.
func Answer(file *spec.Model, d *models.Decision) []string {
	load := output.Load(file.System.Load())
	dynamic := d.Of(models.Policy{Kind: models.Dynamic})
	switch {
	case dynamic == nil && d.Best != nil:
		return []string{fmt.Sprintf("The best static partitioning at load %s is K=%d.", load, d.Best.Policy.Partitions)}
	case dynamic == nil:
		return nil
	case !dynamic.Measures.Stable && d.Best == nil:
		return []string{fmt.Sprintf("Neither dynamic nor static partitioning is stable at load %s.", load)}
	case !dynamic.Measures.Stable:
		return []string{fmt.Sprintf("Dynamic partitioning is unstable at load %s; static partitioning with K=%d is not.",
			load, d.Best.Policy.Partitions)}
	case d.Best == nil:
		return []string{fmt.Sprintf("Only dynamic partitioning is stable at load %s; %s.", load, busyness(dynamic))}
	}
	return []string{fmt.Sprintf("Dynamic partitioning is %s the best static (K=%d) at load %s; %s.",
		Speed(d.Ratio), d.Best.Policy.Partitions, load, busyness(dynamic))}
}

// alone says what one policy means for a job.
func alone(file *spec.Model, r *models.Solved) string {
	m, unit := &r.Measures, file.TimeUnit.Name
	text := fmt.Sprintf("Under %v a job takes %s on average at load %s, of which it waits %s", r.Policy,
		output.WithUnit(m.MeanResponseTime, unit), output.Load(file.System.Load()), output.WithUnit(m.MeanWaitingTime, unit))
	if r.Policy.Kind == models.Dynamic {
		return text + "; " + busyness(r) + "."
	}
	return text + "."
}

// among compares dynamic partitioning with those static policies that were asked for.
func among(file *spec.Model, d *models.Decision) []string {
	dynamic := d.Of(models.Policy{Kind: models.Dynamic})
	if dynamic == nil || !dynamic.Measures.Stable || d.Best == nil || d.Ratio == 0 {
		return nil
	}
	return []string{fmt.Sprintf("Dynamic partitioning is %s static partitioning with K=%d at load %s; %s.",
		Speed(d.Ratio), d.Best.Policy.Partitions, output.Load(file.System.Load()), busyness(dynamic))}
}

// Speed says how dynamic partitioning compares, given the ratio T_SP*/T_DP.
func Speed(ratio float64) string {
	const same = 5e-4
	switch {
	case math.Abs(ratio-1) < same:
		return "as fast as"
	case ratio > 1:
		return output.Percent(ratio-1) + " faster than"
	}
	return output.Percent(1/ratio-1) + " slower than"
}

func busyness(dynamic *models.Solved) string {
	p := dynamic.Measures.Repartitions
	if p == nil || p.Rate == 0 {
		return "its repartitions cost nothing"
	}
	return "it repartitions " + output.Percent(p.Probability) + " of the time"
}
