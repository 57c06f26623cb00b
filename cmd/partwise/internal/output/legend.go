package output

import (
	"slices"
	"strings"

	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// meanings explains columns whose heads do not say what they hold, by these heads in small letters.
var meanings = map[string]string{
	"against fcfs":     "how many times as fast dynamic is as rigid jobs in their order",
	"aic":              "like BIC, with a smaller penalty on phases",
	"backfilled":       "share of jobs that overtook another",
	"bic":              "how badly it fits, with a penalty on phases: the least is best",
	"bounded slowdown": "response time over run time, of 10 s at least",
	"k":                "number of equal static partitions",
	"ks":               "largest distance between the distribution functions of fit and data",
	"load":             "work offered over what the whole machine can do",
	"m/ph/1":           "mean response time of a queue with these service times at load 0.8, in service times",
	"malleable":        "share of jobs that can be resized",
	"ph/m/1":           "the same of a queue with these times between arrivals",
	"ratio":            "how many times as fast dynamic is as the best static split",
	"repartitioning":   "share of the time that goes into repartitions",
	"response":         "mean time from submission to end",
	"scv":              "variance over squared mean, 1 of an exponential distribution",
	"simulated ±":      "half of the confidence interval",
	"slowdown p90":     "response over run time that nine of ten jobs do not exceed",
	"t best static":    "mean response time under the best static split",
	"t dynamic":        "mean response time under dynamic partitioning",
	"times as fast": "mean response time of the rival, EASY or the best static split, over this one's: " +
		"above 1 is better; ± half of the " + words.Percent(measure.Confidence) + " interval",
	"traffic":     "work offered over what the policy can do: saturated at 1",
	"useful":      "share of the node-time that does useful work",
	"utilization": "share of node-hours in which jobs make progress",
	"waiting":     "mean time from submission to the first start",
	"whole nodes": "simulated without splitting nodes",
	"z":           "difference in standard errors",
	"±":           "half of the confidence interval",
}

// staticMeaning explains policies that appear in rows.
const staticMeaning = "static:K splits the machine once into K equal partitions, a job to each"

// Legend returns a sentence that explains the columns of tables that fit into a width; "" if no column needs one.
func Legend(tables []Table, width int) string {
	parts := Meanings(tables, width)
	if parts == nil {
		return ""
	}
	return "(" + strings.Join(parts, "; ") + ")"
}

// Meanings returns what the columns of tables that fit into a width mean, one text for each column that needs an explanation.
func Meanings(tables []Table, width int) []string {
	var parts []string
	add := func(part string) {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for i := range tables {
		t := &tables[i]
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return strings.HasPrefix(row[0], "static:") }) {
			add(staticMeaning)
		}
		_, left := t.fit(width)
		for _, name := range t.names() {
			if slices.Contains(left, name) {
				continue
			}
			meaning, ok := meanings[strings.ToLower(name)]
			if !ok && strings.HasSuffix(name, " ±") {
				name = "±"
				meaning, ok = meanings[name]
			}
			if ok {
				add(name + ": " + meaning)
			}
		}
	}
	return parts
}
