package coschedulecmd_test

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/lab/coschedulecmd"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/metric"
)

// numbers writes the numbers of the paper's tables beside ours.
func (r *results) numbers(w io.Writer) {
	fmt.Fprint(w, "\nCoefficients of variation of the slowdowns of three types of jobs (figures 10(b), 14(b), table 6), of the population; those of "+
		"a sample are √1.5 times as large:\n\n| policy | paper | ours |\n|---|---|---|\n")
	for _, row := range []struct {
		figure, policy string
		paper          float64
	}{{"10", "local", 1.632}, {"10", "gs", .099}, {"10", "sb", .203}, {"10", "dcs", .403}, {"10", "pb", .504},
		{"10", "pb-sb", .274}, {"10", "pb-sy", .524}, {"14", "pb:b", .184}, {"14", "pb:c", .671}, {"14", "pb:d", .196},
		{"14", "pb:e", .384}, {"table6", "pb:a'", .101}, {"table6", "pb:b'", .123}, {"table6", "pb:c'", .082},
		{"table6", "pb:d'", .058}, {"table6", "pb:e'", .280}} {
		o := r.of(row.figure, "wl8, no skew", row.policy)
		fmt.Fprintf(w, "| `%s` | %.3f | %s |\n", row.policy, row.paper, three(o.Of(measure.FairnessCV)))
	}
	r.levels(w)
	r.overheads(w)
	r.choices(w)
}

func three(v metric.Interval) string { return fmt.Sprintf("%.3f ±%.3f", v.Mean, v.HalfWidth) }

// levels are table 4.
func (r *results) levels(w io.Writer) {
	none := math.NaN()
	fmt.Fprint(w, "\nChanges of mean response times from an MPL of 2 (table 4), paper : ours; * a run was given up:\n\n"+
		"| policy | wl2, 5 | wl4, 5 | wl4, 16 | wl5, 5 | wl5, 16 |\n|---|---|---|---|---|---|\n")
	columns := [][2]string{{"wl2", "5"}, {"wl4", "5"}, {"wl4", "16"}, {"wl5", "5"}, {"wl5", "16"}}
	for _, row := range []struct {
		policy string
		paper  [5]float64
	}{{"local", [5]float64{.30, .37, none, 15.44, none}}, {"gs", [5]float64{-.25, -.20, -.34, -.30, -.41}},
		{"sb", [5]float64{-.69, -.36, -.48, -.44, -.54}}, {"dcs", [5]float64{-.27, -.13, -.34, .18, none}},
		{"dcs-sb", [5]float64{-.68, -.35, -.44, -.21, -.38}}, {"pb", [5]float64{-.65, -.25, -.38, -.41, -.52}},
		{"pb-sb", [5]float64{-.71, -.34, -.45, -.43, -.54}}, {"sy", [5]float64{-.29, 2.82, none, 4.59, none}},
		{"pb-sy", [5]float64{-.64, -.24, .36, -.28, 2.78}}, {"dcs-sy", [5]float64{-.58, -.44, -.81, -.42, -.94}}} {
		fmt.Fprintf(w, "| `%s` |", row.policy)
		for k, c := range columns {
			v, saturated := r.change("table4", row.policy, c[0]+", MPL 2", c[0]+", MPL "+c[1])
			paper := "–"
			if !math.IsNaN(row.paper[k]) {
				paper = fmt.Sprintf("%+.2f", row.paper[k])
			}
			mark := ""
			if saturated {
				mark = "*"
			}
			fmt.Fprintf(w, " %s : %+.2f ±%.2f%s |", paper, v.Mean, v.HalfWidth, mark)
		}
		fmt.Fprintln(w)
	}
}

// overheads are table 5.
func (r *results) overheads(w io.Writer) {
	fmt.Fprint(w, "\nMean response times relative to the first costs (table 5), paper : ours:\n\n"+
		"| policy | second costs | third costs |\n|---|---|---|\n")
	for _, row := range []struct {
		policy        string
		second, third float64
		cases         [3]string
	}{{"gs", .896, .977, [3]string{"Q 200 ms, CS 2 ms", "Q 100 ms, CS 1 ms", "Q 100 ms, CS 2 ms"}},
		{"sb", .647, .659, dynamicCosts}, {"dcs", .902, .904, dynamicCosts}, {"dcs-sb", .710, .804, dynamicCosts},
		{"pb-sb", .670, .687, dynamicCosts}, {"pb", .89, .89, dynamicCosts}} {
		b, _ := r.change("table5", row.policy, row.cases[0], row.cases[1])
		c, _ := r.change("table5", row.policy, row.cases[0], row.cases[2])
		fmt.Fprintf(w, "| `%s` | %.3f : %s | %.3f : %s |\n", row.policy, row.second, factor(b), row.third, factor(c))
	}
}

var dynamicCosts = [3]string{"CS 200 µs, I 50 µs", "CS 100 µs, I 25 µs", "CS 100 µs, I 50 µs"}

// choices are what the paper leaves open.
func (r *results) choices(w io.Writer) {
	fmt.Fprint(w, "\nRatios of mean response times on wl5 under other choices than ours (`--figure choices`); below 1 the first policy is "+
		"better:\n\n| choice | PB / SB | PB / GS | SB / GS |\n|---|---|---|---|\n")
	f := r.figures["choices"]
	for i := 0; i < len(f); i += 3 {
		gang, block, boost := &f[i], &f[i+1], &f[i+2]
		cell := func(a, b *coschedulecmd.Outcome) string {
			v := coschedulecmd.Ratio(a, b, measure.MeanResponseTime)
			text := interval(v)
			if v.High < 1 {
				text = "**" + text + "**"
			}
			return text
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", strings.TrimSpace(gang.Case.Name), cell(boost, block), cell(boost, gang),
			cell(block, gang))
	}
}
