package coscheduling_test

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/validate/lab/internal/coscheduling"
)

// fairness are figures 10(b) and 14(b) and table 6, as CSV: coefficients of variation of the mean slowdowns of three types of jobs,
// of the population; those of a sample are √1.5 times as large.
func (r *results) fairness(w io.Writer) {
	fmt.Fprintln(w, "policy,paper,ours,half_width")
	for _, row := range []struct {
		figure, policy string
		paper          float64
	}{{"10", "local", 1.632}, {"10", "gs", .099}, {"10", "sb", .203}, {"10", "dcs", .403}, {"10", "pb", .504},
		{"10", "pb-sb", .274}, {"10", "pb-sy", .524}, {"14", "pb:b", .184}, {"14", "pb:c", .671}, {"14", "pb:d", .196},
		{"14", "pb:e", .384}, {"table6", "pb:a'", .101}, {"table6", "pb:b'", .123}, {"table6", "pb:c'", .082},
		{"table6", "pb:d'", .058}, {"table6", "pb:e'", .280}} {
		v := r.of(row.figure, "wl8, no skew", row.policy).Of("fairness_cv")
		fmt.Fprintf(w, "%s,%.3f,%.3f,%.3f\n", row.policy, row.paper, v.Mean, v.HalfWidth)
	}
}

// levels are table 4, as CSV: changes of mean response times from an MPL of 2 to another, in the paper and here.
func (r *results) levels(w io.Writer) {
	none := math.NaN()
	fmt.Fprintln(w, "policy,workload,mpl,paper,ours,half_width,stopped_early")
	columns := [][2]string{{"wl2", "5"}, {"wl4", "5"}, {"wl4", "16"}, {"wl5", "5"}, {"wl5", "16"}}
	for _, row := range []struct {
		policy string
		paper  [5]float64
	}{{"local", [5]float64{.30, .37, none, 15.44, none}}, {"gs", [5]float64{-.25, -.20, -.34, -.30, -.41}},
		{"sb", [5]float64{-.69, -.36, -.48, -.44, -.54}}, {"dcs", [5]float64{-.27, -.13, -.34, .18, none}},
		{"dcs-sb", [5]float64{-.68, -.35, -.44, -.21, -.38}}, {"pb", [5]float64{-.65, -.25, -.38, -.41, -.52}},
		{"pb-sb", [5]float64{-.71, -.34, -.45, -.43, -.54}}, {"sy", [5]float64{-.29, 2.82, none, 4.59, none}},
		{"pb-sy", [5]float64{-.64, -.24, .36, -.28, 2.78}}, {"dcs-sy", [5]float64{-.58, -.44, -.81, -.42, -.94}}} {
		for k, c := range columns {
			v, saturated := r.change("table4", row.policy, c[0]+", MPL 2", c[0]+", MPL "+c[1])
			paper := ""
			if !math.IsNaN(row.paper[k]) {
				paper = fmt.Sprintf("%+.2f", row.paper[k])
			}
			fmt.Fprintf(w, "%s,%s,%s,%s,%+.2f,%.2f,%t\n", row.policy, c[0], c[1], paper, v.Mean, v.HalfWidth, saturated)
		}
	}
}

// overheads are table 5, as CSV: mean response times relative to those at the first costs.
func (r *results) overheads(w io.Writer) {
	fmt.Fprintln(w, "policy,costs,paper,ours,half_width")
	for _, row := range []struct {
		policy        string
		second, third float64
		cases         [3]string
	}{{"gs", .896, .977, [3]string{"Q 200 ms, CS 2 ms", "Q 100 ms, CS 1 ms", "Q 100 ms, CS 2 ms"}},
		{"sb", .647, .659, dynamicCosts}, {"dcs", .902, .904, dynamicCosts}, {"dcs-sb", .710, .804, dynamicCosts},
		{"pb-sb", .670, .687, dynamicCosts}, {"pb", .89, .89, dynamicCosts}} {
		b, _ := r.change("table5", row.policy, row.cases[0], row.cases[1])
		c, _ := r.change("table5", row.policy, row.cases[0], row.cases[2])
		fmt.Fprintf(w, "%s,\"%s\",%.3f,%.3f,%.3f\n", row.policy, row.cases[1], row.second, 1+b.Mean, b.HalfWidth)
		fmt.Fprintf(w, "%s,\"%s\",%.3f,%.3f,%.3f\n", row.policy, row.cases[2], row.third, 1+c.Mean, c.HalfWidth)
	}
}

var dynamicCosts = [3]string{"CS 200 µs, I 50 µs", "CS 100 µs, I 25 µs", "CS 100 µs, I 50 µs"}

// choices are what the paper leaves open, as CSV: ratios of mean response times on wl5.
func (r *results) choices(w io.Writer) {
	fmt.Fprintln(w, "choice,pb_over_sb,half_width,pb_over_gs,half_width,sb_over_gs,half_width")
	f := r.figures["choices"]
	for i := 0; i < len(f); i += 3 {
		gang, block, boost := &f[i], &f[i+1], &f[i+2]
		cell := func(a, b *coscheduling.Outcome) string {
			v := ratio(a, b, measure.MeanResponseTime)
			return fmt.Sprintf("%.2f,%.2f", v.Mean, v.HalfWidth)
		}
		fmt.Fprintf(w, "%q,%s,%s,%s\n", strings.TrimSpace(gang.Case.Name), cell(boost, block), cell(boost, gang), cell(block, gang))
	}
}
