package chart

import (
	"image/color"
	"slices"
	"strings"
)

// palette begins with the colours of Okabe and Ito, without their yellow, which vanishes on white paper: blue, vermilion, bluish
// green, reddish purple, orange, sky blue, black; then wine, olive and grey. darkPalette has the same hues for a dark page.
var (
	palette = colours(0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000, 0x882255, 0x7a7a00, 0x8c8c8c)

	darkPalette = colours(0x3d8fd1, 0xff7a2e, 0x1fc196, 0xe095c0, 0xf0b429, 0x8fd3ff, 0xf2f2f2, 0xc8588f, 0xb8b83a, 0x9c9c9c)
)

// places are rows of names by their places among colours and markers, so that a policy looks the same in all pictures of its kind.
// Names of one row may stand in one picture.
var places = [][]string{
	{"dynamic", "static", "sev", "avg", "pws", "asp", "max", "simplified sev", "3/2 avg"},
	{"dynamic", "easy", "conservative", "fcfs"},
	{"dynamic", "easy", "buddy", "equi", "opt", "heuristic", "hybrid"},
	{"gs", "sb", "pb", "dcs", "sy", "pb-sb", "dcs-sb", "local", "pb-sy", "dcs-sy"},
}

// placeOf returns the place in the palette of a name, or of the last word of a name; -1 if it has none. A parameter behind a colon
// is left out.
func placeOf(name string) int {
	name, _, _ = strings.Cut(strings.ToLower(name), ":")
	for _, part := range []string{name, name[strings.LastIndex(name, " ")+1:]} {
		for _, row := range places {
			if at := slices.Index(row, part); at >= 0 {
				return at
			}
		}
	}
	return -1
}

// looks returns the places of names of one picture, each its own. A name without a place, or whose place is taken, has the first
// place that is left.
func looks(names []string) []int {
	at, taken := make([]int, len(names)), map[int]bool{}
	for i, name := range names {
		if at[i] = placeOf(name); taken[at[i]] {
			at[i] = -1
		}
		taken[at[i]] = at[i] >= 0
	}
	next := 0
	for i := range at {
		for at[i] < 0 {
			if !taken[next] {
				at[i], taken[next] = next, true
			}
			next++
		}
	}
	return at
}

// told returns the names that colours tell apart: the series, or the two strokes of a single series.
func (f *Figure) told() []string {
	if f.single() {
		return f.Strokes
	}
	return f.Series
}

// mark returns the place of a series among colours and markers.
func (f *Figure) mark(series int) int {
	if marks := looks(f.told()); series < len(marks) {
		return marks[series]
	}
	return series
}

// jobColours are light enough to be written on, and neighbours in time differ. jobColour repeats them in two other shades.
var jobColours = colours(0x7fb8dd, 0xf2a97e, 0x7fcfb5, 0xe3b5d0, 0xf5d280, 0xb4a7d6, 0xc9d88b, 0xd6b49a, 0x9fd9e6)

// idle is the colour of nodes and processors without work.
var idle = color.Gray{0xe4}

// queued is the colour of the number of jobs that wait.
var queued = color.Gray{0x8a}

// partColours are the colours of the parts of bars, by name.
var partColours = map[string]color.Color{"waiting": jobColours[0], "run time": jobColours[1],
	"compute": jobColours[2], "communicate": jobColours[3], "spin": jobColours[4], "switch": jobColours[5], "overhead": jobColours[6],
	"idle": idle}

// partColour returns the colour of part k of bars: the colour of its name, or a shade for its place among the parts.
func (p *Panel) partColour(k int) color.Color {
	if c, ok := partColours[p.Parts[k]]; ok {
		return c
	}
	return shade(color.RGBA{0x9a, 0x6f, 0x4a, 0xff}, -.75+float64(k)/max(1, float64(len(p.Parts)-1)))
}

// jobColour returns the colour of a job. It repeats after 27 jobs.
func jobColour(job int) color.Color {
	n := len(jobColours)
	return shade(jobColours[job%n], []float64{0, .25, -.55}[job/n%3])
}

// shade returns a colour mixed with black, or with white by a negative share.
func shade(c color.RGBA, share float64) color.Color {
	mix := func(v uint8) uint8 {
		if share < 0 {
			return uint8(float64(v) - share*float64(0xff-v))
		}
		return uint8(float64(v) * (1 - share))
	}
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 0xff}
}

// colours returns colours by their codes, as style sheets write them.
func colours(codes ...uint32) (all []color.RGBA) {
	for _, c := range codes {
		all = append(all, color.RGBA{uint8(c >> 16), uint8(c >> 8), uint8(c), 0xff})
	}
	return all
}
