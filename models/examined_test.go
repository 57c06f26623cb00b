package models_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Each function that takes a scenario and returns an outcome examines a claim of the table; with the outcome it returns
// the figures behind it.

// spot is a value and where it is.
type spot struct {
	value, load float64
	line        *line
}

func (s spot) String() string { return fmt.Sprintf("%.3f at %s", s.value, loadText(s.load)) }

func (s spot) named() string {
	return fmt.Sprintf("%.3f (%v, load %s)", s.value, s.line, loadText(s.load))
}

func loadText(load float64) string {
	return strings.Replace(fmt.Sprintf("%.2f", load), "0.", ".", 1)
}

// spots returns f of every load of the lines at which it exists.
func spots(lines []*line, f func(l *line, i int) float64) []spot {
	var all []spot
	for _, l := range lines {
		for i, load := range l.load {
			if v := f(l, i); !math.IsNaN(v) {
				all = append(all, spot{v, load, l})
			}
		}
	}
	return all
}

func least(s []spot) spot {
	return slices.MinFunc(s, func(a, b spot) int { return int(math.Copysign(1, a.value-b.value)) })
}

func largest(s []spot) spot {
	return slices.MaxFunc(s, func(a, b spot) int { return int(math.Copysign(1, a.value-b.value)) })
}

func ratioOf(l *line, i int) float64   { return l.ratio[i] }
func repartOf(l *line, i int) float64  { return l.repartitioning[i] }
func dynamicOf(l *line, i int) float64 { return l.dynamic[i] }

// against returns f of a line relative to that of another, load by load.
func against(a, b *line, f func(l *line, i int) float64) []spot {
	return spots([]*line{a}, func(_ *line, i int) float64 { return f(a, i) / f(b, i) })
}

func slowerOnNOW(c *ips96) (outcome, string) {
	var all []spot
	for _, w := range workloads {
		for _, v := range variants {
			all = append(all, against(c.one(w, "NOW", v), c.one(w, "SP2", v), dynamicOf)...)
		}
	}
	lo := least(all)
	return verdict(lo.value > 1, false), fmt.Sprintf("At the same arrival rate at least %.2f times as long (%v, load %s).",
		lo.value, lo.line, loadText(lo.load))
}

func burstsAreSlower(c *ips96) (outcome, string) {
	var all []spot
	for _, w := range workloads {
		for _, m := range machines {
			all = append(all, against(c.one(w, m, "bursty"), c.one(w, m, "Poisson"), dynamicOf)...)
		}
	}
	lo, hi := least(all), largest(all)
	half := against(c.one("w1", "SP2", "bursty"), c.one("w1", "SP2", "Poisson"), dynamicOf)[24]
	return verdict(lo.value > 1, false), fmt.Sprintf("%.3f to %.2f times as long; %.2f times at load %s of W1 on the SP2.",
		lo.value, hi.value, half.value, loadText(half.load))
}

func variabilityIsSlower(c *ips96) (outcome, string) {
	var all, bursts []spot
	for _, w := range workloads {
		for _, m := range machines {
			doubled := c.one(w, m, "doubled variability")
			all = append(all, against(doubled, c.one(w, m, "Poisson"), dynamicOf)...)
			bursts = append(bursts, against(doubled, c.one(w, m, "bursty"), dynamicOf)...)
		}
	}
	lo, hi, burst := least(all), largest(all), largest(bursts)
	return verdict(lo.value > 1 && burst.value < 1, burst.value < 1), fmt.Sprintf("Less than bursts at every load (at "+
		"most %.2f of the time they cause), and up to %.2f times the base; but at light to moderate load it makes DEP a "+
		"little faster, by up to %.1f %% (%v, load %s).",
		burst.value, hi.value, 100*(1-lo.value), lo.line, loadText(lo.load))
}

// crossed returns the first load at which the ratio is above one, and whether it stays there.
func (l *line) crossed() (load float64, stays bool) {
	first := slices.IndexFunc(l.ratio, func(r float64) bool { return r > 1 })
	if first < 0 {
		return math.NaN(), false
	}
	return l.load[first], !slices.ContainsFunc(l.ratio[first:], func(r float64) bool { return r <= 1 })
}

func worseThenBetter(c *ips96) (outcome, string) {
	ok := true
	var parts []string
	for _, m := range machines {
		for _, v := range variants[:2] {
			l := c.one("w1", m, v)
			all := spots([]*line{l}, ratioOf)
			lo, hi, last := least(all), largest(all), all[len(all)-1]
			from, _ := l.crossed()
			ok = ok && lo.value < 1 && hi.value > 1 && lo.load < from && from < hi.load && last.value < hi.value
			parts = append(parts, fmt.Sprintf("%s %s: least %v, above 1 from %s, largest %v, %.3f at %s", m, v, lo,
				loadText(from), hi, last.value, loadText(last.load)))
		}
	}
	return verdict(ok, false), strings.Join(parts, "; ") + "."
}

func noDegradation(c *ips96) (outcome, string) {
	doubled := spots(c.of("w1", "doubled variability"), ratioOf)
	others := append(spots(c.of("w1", "Poisson"), ratioOf), spots(c.of("w1", "bursty"), ratioOf)...)
	lo, hi := least(doubled), largest(doubled)
	return verdict(lo.value > 1 && hi.value > largest(others).value, lo.value > 1), fmt.Sprintf(
		"Ratios from %.3f to %s; without, at most %.3f.", lo.value, hi.named(), largest(others).value)
}

func alwaysBetter(c *ips96) (outcome, string) {
	all := spots(c.of("w2"), ratioOf)
	lo := least(all)
	return verdict(lo.value > 1, false), fmt.Sprintf(
		"Ratios from %.3f; Poisson arrivals: up to %v on the SP2, %v on the NOW.", lo.value,
		largest(spots(c.of("w2", "SP2", "Poisson"), ratioOf)), largest(spots(c.of("w2", "NOW", "Poisson"), ratioOf)))
}

// compareMachines holds the largest ratios of a workload on the two machines against each other.
func compareMachines(c *ips96, workload string) (sp2 int, text string) {
	var parts []string
	for _, v := range variants {
		a := largest(spots(c.of(workload, "SP2", v), ratioOf))
		b := largest(spots(c.of(workload, "NOW", v), ratioOf))
		if a.value > b.value {
			sp2++
		}
		parts = append(parts, fmt.Sprintf("%s: SP2 %.3f, NOW %.3f", v, a.value, b.value))
	}
	return sp2, strings.Join(parts, "; ") + "."
}

func largestOnNOW(c *ips96) (outcome, string) {
	sp2, text := compareMachines(c, "w2")
	return verdict(sp2 == 0, sp2 < 3), "They are on the SP2.\n" + text
}

func largestOnSP2(c *ips96) (outcome, string) {
	sp2, text := compareMachines(c, "w1")
	return verdict(sp2 == 3, sp2 > 0), text
}

func alwaysWorse(c *ips96) (outcome, string) {
	hi := largest(spots(c.of("w3"), ratioOf))
	return verdict(hi.value < 1, false), fmt.Sprintf("Ratios below 1 (largest %s); least, with Poisson arrivals: %v on "+
		"the SP2, %v on the NOW.", hi.named(), least(spots(c.of("w3", "SP2", "Poisson"), ratioOf)),
		least(spots(c.of("w3", "NOW", "Poisson"), ratioOf)))
}

func largestWithPoisson(c *ips96) (outcome, string) {
	ok := true
	var parts []string
	for _, w := range workloads[:2] {
		for _, m := range machines {
			a, b := largest(spots(c.of(w, m, "Poisson"), ratioOf)), largest(spots(c.of(w, m, "bursty"), ratioOf))
			ok = ok && a.value > b.value
			parts = append(parts, fmt.Sprintf("%s %s %.3f against %.3f", strings.ToUpper(w), m, a.value, b.value))
		}
	}
	return verdict(ok, false), strings.Join(parts, "; ") + ". (W3 has no maximum: its ratio tends to 1 from below.)"
}

func scalloped(c *ips96) (outcome, string) {
	const steps = 2 // a maximum between two loads may show at either, and so may a change
	near, total, furthest := 0, 0, 0
	for _, l := range append(c.of("w1"), c.of("w2")...) {
		for i := 1; i+1 < len(l.load); i++ {
			if !(l.ratio[i] > l.ratio[i-1] && l.ratio[i] > l.ratio[i+1]) {
				continue
			}
			total++
			off := len(l.load)
			for j := 1; j < len(l.load); j++ {
				if l.best[j] != l.best[j-1] && l.best[j] > 0 {
					off = min(off, max(i-j, j-1-i, 0))
				}
			}
			furthest = max(furthest, off)
			if off <= steps {
				near++
			}
		}
	}
	within := "one step of the load"
	if furthest > 1 {
		within = fmt.Sprintf("%d steps of the load", furthest)
	}
	return verdict(near == total, near > 0), fmt.Sprintf("All %d local maxima of W1 and W2 lie within %s of such a "+
		"change.", total, within)
}

func risesAndVanishes(c *ips96) (outcome, string) {
	var growth, left []spot
	for _, l := range c.lines {
		all := spots([]*line{l}, repartOf)
		growth = append(growth, spot{all[1].value / all[0].value, all[1].load, l})
	}
	for _, e := range c.saturated {
		left = append(left, spot{e.repartitioning / largest(spots([]*line{e.line}, repartOf)).value, saturation, e.line})
	}
	slow, most := least(growth), largest(left)
	return verdict(slow.value > 2 && most.value < 0.05, slow.value > 1), fmt.Sprintf("From load .02 to .04, twice the "+
		"load, it becomes %.1f to %.1f times as large. At .999 of the capacity at most %.1f %% of its largest value is "+
		"left (%v).",
		slow.value, largest(growth).value, 100*most.value, most.line)
}

func peaksEarlierOnNOW(c *ips96) (outcome, string) {
	ok := true
	var parts []string
	for _, w := range workloads {
		for _, v := range variants {
			a, b := largest(spots(c.of(w, "SP2", v), repartOf)), largest(spots(c.of(w, "NOW", v), repartOf))
			ok = ok && b.load < a.load
			if v == "Poisson" {
				parts = append(parts, fmt.Sprintf("%s: SP2 %v, NOW %v", strings.ToUpper(w), a, b))
			}
		}
	}
	return verdict(ok, false), "Poisson arrivals, " + strings.Join(parts, "; ") + ". The other variants likewise."
}

// until returns the load below which a is above b, of all at which both exist, as a share of them.
func until(above []spot) (load float64, all bool) {
	for _, s := range above {
		if s.value < 1 {
			return s.load, false
		}
	}
	return above[len(above)-1].load, true
}

func repartitionsMoreOnNOW(c *ips96) (outcome, string) {
	every, own, first := true, true, math.Inf(1)
	for _, w := range workloads {
		for _, v := range variants {
			load, all := until(against(c.one(w, "NOW", v), c.one(w, "SP2", v), repartOf))
			every = every && all
			first = math.Min(first, load)
			a, b := c.end(w, "NOW", v).own, c.end(w, "SP2", v).own
			for i := range ownLoads {
				own = own && a[i] > b[i]
			}
		}
	}
	text := fmt.Sprintf("Up to load %s in every case; close to the NOW's own saturation at .47 p_r vanishes there and "+
		"is still large on the SP2.", loadText(first-0.02))
	if own {
		text += " At the same load relative to each machine's own capacity it is larger on the NOW, always."
	}
	return verdict(every, first > 0.02), text
}

func repartitionsMoreWithPoisson(c *ips96) (outcome, string) {
	every, some := true, true
	var parts []string
	for _, w := range workloads {
		for _, m := range machines {
			above := against(c.one(w, m, "Poisson"), c.one(w, m, "bursty"), repartOf)
			every = every && least(above).value > 1
			from := slices.IndexFunc(above, func(s spot) bool { return s.value > 1 })
			some = some && from >= 0 && least(above[from:]).value > 1
			a, b := largest(spots(c.of(w, m, "Poisson"), repartOf)), largest(spots(c.of(w, m, "bursty"), repartOf))
			some = some && a.value > b.value
			parts = append(parts, fmt.Sprintf("%s %s from %s on (largest %.3f against %.3f)", strings.ToUpper(w), m,
				loadText(above[from].load), a.value, b.value))
		}
	}
	return verdict(every, some), "Not at light load, where bursts make more jobs meet.\n" + strings.Join(parts, "; ") + "."
}

func tendsToStatic(c *ips96) (outcome, string) {
	ok := true
	for _, l := range c.of("SP2") {
		ok = ok && l.best[len(l.best)-1] == 8
	}
	var off []spot
	for _, e := range c.saturated {
		ok = ok && e.apart < e.apartBefore
		off = append(off, spot{e.apart, saturation, e.line})
	}
	worst := largest(off)
	return verdict(ok && worst.value < 0.02, ok), fmt.Sprintf("On the SP2 K = 8 is best at .98. At .999 of its own "+
		"capacity the response time of every machine is within %.1f %% of that of SP(8) (%v), everywhere closer than at "+
		".97.",
		100*worst.value, worst.line)
}

func degradesMoreWithPoisson(c *ips96) (outcome, string) {
	more := 0
	var parts []string
	for _, m := range machines {
		a, b := least(spots(c.of("w1", m, "Poisson"), ratioOf)), least(spots(c.of("w1", m, "bursty"), ratioOf))
		if a.value < b.value {
			more++
		}
		parts = append(parts, fmt.Sprintf("%s: Poisson %v, bursty %v", m, a, b))
	}
	return verdict(more == 2, more > 0), "Narrowly not.\n" + strings.Join(parts, "; ") + "."
}

func worseWithPoisson(c *ips96) (outcome, string) {
	ok := true
	var parts []string
	for _, m := range machines {
		relative := against(c.one("w3", m, "Poisson"), c.one("w3", m, "bursty"), ratioOf)
		from := slices.IndexFunc(relative, func(s spot) bool { return s.value < 1 })
		ok = ok && from >= 0 && largest(relative[from:]).value < 1 && from < len(relative)/2
		parts = append(parts, fmt.Sprintf("%s from %s on (there is load up to %s)", m, loadText(relative[from].load),
			loadText(relative[len(relative)-1].load)))
	}
	return verdict(ok, false), strings.Join(parts, "; ") + ". Below, bursty arrivals are the worse ones."
}

// earlierExtrema looks at where ratios are least (W1, W3) and largest (W1, W2) and p_r is largest.
func earlierExtrema(c *ips96) (outcome, string) {
	total, early := 0, 0
	count := func(later, earlier spot) {
		total++
		if earlier.load < later.load {
			early++
		}
	}
	look := func(pick func([]spot) spot, f func(*line, int) float64, workload string) {
		for _, v := range variants {
			count(pick(spots(c.of(workload, "SP2", v), f)), pick(spots(c.of(workload, "NOW", v), f)))
		}
		for _, m := range machines {
			count(pick(spots(c.of(workload, m, "Poisson"), f)), pick(spots(c.of(workload, m, "bursty"), f)))
		}
	}
	look(largest, ratioOf, "w1")
	look(largest, ratioOf, "w2")
	look(least, ratioOf, "w3")
	for _, w := range workloads {
		look(largest, repartOf, w)
	}
	a, b := c.of("w3", "SP2", "Poisson"), c.of("w3", "SP2", "bursty")
	d := c.of("w3", "NOW", "Poisson")
	return verdict(early == total, early > 0), fmt.Sprintf("So in %d of %d comparisons. W3: the least ratio at %s (SP2, "+
		"Poisson), %s (SP2, bursty), %s (NOW, Poisson).", early, total, loadText(least(spots(a, ratioOf)).load),
		loadText(least(spots(b, ratioOf)).load), loadText(least(spots(d, ratioOf)).load))
}

func shrinkingDifferences(c *ips96) (outcome, string) {
	shrinking := 0
	var parts []string
	for _, m := range machines {
		var widths []float64
		var text []string
		for _, w := range workloads {
			lines := c.of(w, m)
			width := largest(spots(lines[:1], func(_ *line, i int) float64 {
				return math.Max(lines[0].ratio[i], math.Max(lines[1].ratio[i], lines[2].ratio[i])) -
					math.Min(lines[0].ratio[i], math.Min(lines[1].ratio[i], lines[2].ratio[i]))
			}))
			widths = append(widths, width.value)
			text = append(text, fmt.Sprintf("%.3f", width.value))
		}
		if widths[0] > widths[1] && widths[1] > widths[2] {
			shrinking++
		}
		parts = append(parts, m+" "+strings.Join(text, ", "))
	}
	return verdict(shrinking == 2, shrinking > 0), "Largest distance between the ratios of the three variants at one " +
		"load, W1, W2, W3: " + strings.Join(parts, "; ") + "."
}

// smoothingIsFaster examines the half of claim 12 that has an exact chain.
func smoothingIsFaster(c *ips96) (outcome, string) {
	span := func(workload string) (least, most float64) {
		least, most = math.Inf(1), 0
		for _, s := range c.smoothed {
			if s.line.workload == workload {
				least, most = min(least, s.ratio), max(most, s.ratio)
			}
		}
		return least, most
	}
	least, most := span("w1")
	idleLeast, idleMost := span("w3")
	text := fmt.Sprintf("Minimum times of 10 and 100 s make the mean response time %.4f to %.3f times that of DEP: "+
		"repartitions take 1 %% of the time, there is little to save. Where they take a third of it, they help: W3 with "+
		"exponential service, %.2f to %.2f times. Folding has no exact chain; simulated on whole nodes it is a little "+
		"faster than DEP ([the simulator](simulator.md)).",
		least, most, idleLeast, idleMost)
	switch {
	case most < 1:
		return holds, text
	case least < 1:
		return partly, text
	}
	return fails, text
}
