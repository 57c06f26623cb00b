package measure_test

import (
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/testdata/phtest"
)

var update = flag.Bool("update", false, "rewrite the table of docs/measures.md")

func TestNames(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	names, titles := map[string]bool{}, map[string]bool{}
	for _, m := range measure.Table() {
		if names[m.Name] || titles[m.Title] || !snake.MatchString(m.Name) || m.Title == "" {
			t.Errorf("%s, %q: names and titles are unique, names in snake case", m.Name, m.Title)
		}
		names[m.Name], titles[m.Title] = true, true
		if found, ok := measure.Named(m.Name); !ok || found != m || measure.Must(m.Name) != m {
			t.Errorf("%s is found as %+v", m.Name, found)
		}
	}
	if _, ok := measure.Named("mean_sojourn_time"); ok {
		t.Error("a measure under another name")
	}
	for _, name := range measure.OfJobs() {
		if !names[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

func TestMustPanics(t *testing.T) {
	defer func() {
		if got := recover(); got != "measure: no measure magic" {
			t.Errorf("panic %v", got)
		}
	}()
	measure.Must("magic")
}

// TestUnits: names say what dimension a measure has.
func TestUnits(t *testing.T) {
	notRates := []string{"decay_rate"} // a factor
	for _, m := range measure.Table() {
		named := measure.Unit("number")
		switch {
		case slices.Contains(notRates, m.Name):
		case strings.HasPrefix(m.Name, "variance") && strings.HasSuffix(m.Name, "_time"):
			named = "squared time"
		case strings.HasSuffix(m.Name, "_time") || strings.Contains(m.Name, "_time_p"):
			named = measure.Time
		case strings.HasSuffix(m.Name, "_rate") || m.Name == measure.Throughput:
			named = measure.Rate
		case strings.HasPrefix(m.Name, "probability") || strings.HasSuffix(m.Name, "_share") ||
			strings.HasSuffix(m.Name, "utilization") || m.Name == measure.Efficiency ||
			m.Name == measure.IdleBlocked:
			named = measure.Share
		case strings.HasPrefix(m.Name, "mean") && strings.HasSuffix(m.Name, "jobs"):
			named = "jobs"
		case m.Name == measure.LoadAverage || m.Name == measure.MeanClusterSize:
			named = "nodes"
		case strings.HasPrefix(m.Name, "node_hours"):
			named = "node-hours"
		}
		if m.Unit != named {
			t.Errorf("%s is a %v, its name says a %v", m.Name, m.Unit, named)
		}
	}
}

// TestDefinitions: each measure is defined by a sentence or two, and computed by something.
func TestDefinitions(t *testing.T) {
	for _, m := range measure.Table() {
		if !regexp.MustCompile(`^[A-Z].*\.$`).MatchString(m.Definition) || m.ComputedBy == "" {
			t.Errorf("%s, computed by %s: %q", m.Name, m.ComputedBy, m.Definition)
		}
		if strings.Contains(m.Formula, "|") || strings.Contains(m.Definition, "|") {
			t.Errorf("%s breaks the table of the page", m.Name)
		}
	}
}

// TestChainsComputeWhatTheTableSays: those of chains, and the largest stable arrival rate, which unstable policies
// have, too.
func TestChainsComputeWhatTheTableSays(t *testing.T) {
	names := []string{measure.MaxArrivalRate}
	for _, m := range models.Table() {
		if m != measure.Must(m.Name) {
			t.Errorf("%s is not that of the table", m.Name)
		}
		names = append(names, m.Name)
	}
	want := computedBy("chain")
	slices.Sort(names)
	slices.Sort(want)
	if !slices.Equal(names, want) {
		t.Errorf("chains compute %v, the table says %v", names, want)
	}
}

// TestPage holds docs/measures.md to the table; -update rewrites it.
func TestPage(t *testing.T) {
	var b strings.Builder
	var groups []string
	lists := map[string]string{}
	for _, m := range measure.Table() {
		group := m.ComputedBy
		if lists[group] == "" {
			groups = append(groups, group)
		}
		formula := ""
		if m.Formula != "" {
			formula = " `" + m.Formula + "`"
		}
		lists[group] += fmt.Sprintf("- `%s` (%v): %s%s\n", m.Name, m.Unit, m.Definition, formula)
	}
	for _, group := range groups {
		b.WriteString("\n" + strings.ToUpper(group[:1]) + group[1:] + ":\n\n" + lists[group])
	}
	b.WriteString("\n")
	phtest.HoldPage(t, "../../docs/measures.md", "measures", b.String(), *update)
}

// Results name measures; the table says what they are.
func ExampleNamed() {
	m, _ := measure.Named("mean_waiting_time")
	fmt.Println(m.Title, "in", m.Unit.In("min"))
	fmt.Println(m.Definition)
	fmt.Println("computed by:", m.ComputedBy)
	// Output:
	// waiting in min
	// Time from the submission of a job to its first start.
	// computed by: chain, simulation, replay, days, cluster
}

func ExampleUnit_In() {
	fmt.Println(measure.Time.In("s"), measure.Rate.In("s"), measure.Unit("nodes").In("s"))
	// Output: s 1/s nodes
}

// computedBy returns the names of the measures that the table says a source computes.
func computedBy(source string) (names []string) {
	for _, m := range measure.Table() {
		if slices.Contains(strings.Split(m.ComputedBy, ", "), source) {
			names = append(names, m.Name)
		}
	}
	return names
}
