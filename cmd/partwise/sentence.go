package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/spec"
)

// headline names a model and its load.
func headline(file *spec.Model) string {
	s := file.System
	partitions := ""
	if s.MinNodes > 1 {
		partitions = fmt.Sprintf(" in units of %d", s.MinNodes)
	}
	return fmt.Sprintf("%s: %d nodes%s, load %s", file.Title, s.Nodes, partitions, loadText(s.Load()))
}

// loadText rounds a load, which has been through a division, to what people write.
func loadText(load float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.4f", load), "0"), ".")
}

// percent writes a share with as many digits as make a difference.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return "0 %"
	case p < 0.01:
		return "< 0.01 %"
	case p < 9.95:
		return output.Round(p, 2) + " %"
	case p < 99.5:
		return fmt.Sprintf("%.0f %%", p)
	default:
		return output.Round(p, 3) + " %"
	}
}

// answer says in a sentence or two what the comparison means.
func answer(file *spec.Model, d *models.Decision) []string {
	load := loadText(file.System.Load())
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
		speed(d.Ratio), d.Best.Policy.Partitions, load, busyness(dynamic))}
}

// alone says what one policy means for a job.
func alone(file *spec.Model, r *models.Solved) string {
	m, unit := &r.Measures, file.TimeUnit.Name
	text := fmt.Sprintf("Under %v a job takes %s on average at load %s, of which it waits %s", r.Policy,
		timeText(m.MeanResponseTime, unit), loadText(file.System.Load()), timeText(m.MeanWaitingTime, unit))
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
		speed(d.Ratio), d.Best.Policy.Partitions, loadText(file.System.Load()), busyness(dynamic))}
}

// speed says how dynamic partitioning compares, given the ratio T_SP*/T_DP.
func speed(ratio float64) string {
	const same = 5e-4
	switch {
	case math.Abs(ratio-1) < same:
		return "as fast as"
	case ratio > 1:
		return percent(ratio-1) + " faster than"
	}
	return percent(1/ratio-1) + " slower than"
}

func busyness(dynamic *models.Solved) string {
	p := dynamic.Measures.Repartitions
	if p == nil || p.Rate == 0 {
		return "its repartitions cost nothing"
	}
	return "it repartitions " + percent(p.Probability) + " of the time"
}

// thrashes is the share of time from which on repartitioning is worth a warning.
const thrashes = 0.25

// thrashing says at which loads too much of the time goes into repartitioning, "" if at none.
func thrashing(points []models.Point) string {
	from, to, at, most := math.Inf(1), 0.0, 0.0, 0.0
	for i := range points {
		p, ok := repartitioning(&points[i])
		if !ok || p <= thrashes {
			continue
		}
		load := points[i].Load
		from, to = math.Min(from, load), math.Max(to, load)
		if p > most {
			at, most = load, p
		}
	}
	switch {
	case most == 0:
		return ""
	case from == to:
		return fmt.Sprintf("thrashing at load %s: %s of the time goes into repartitioning", loadText(at), percent(most))
	}
	return fmt.Sprintf("thrashing from load %s to %s: up to %s of the time goes into repartitioning (at load %s)",
		loadText(from), loadText(to), percent(most), loadText(at))
}
