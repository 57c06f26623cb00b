package models_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
)

// TestStopsPage holds the table of docs/elasticity.md to the study that go test ./validate -run StopsStudy -study makes.
func TestStopsPage(t *testing.T) {
	f, err := os.Open("../testdata/studies/stops.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(row []string, column string) float64 {
		for i, name := range rows[0] {
			if name == column {
				return must(strconv.ParseFloat(row[i], 64))
			}
		}
		t.Fatalf("no column %s", column)
		return 0
	}
	var page strings.Builder
	page.WriteString("| model | `stops: all` | `stops: resized` |\n|---|---|---|\n")
	const loads = 9
	names := map[string]string{"w1": "4 machines of workload 1", "w2": "4 machines of workload 2", "w3": "4 machines of workload 3"}
	var groups []string
	least, most := map[string][2]float64{}, map[string][2]float64{}
	largest, winners := [2]float64{}, [2]int{}
	for at := 1; at < len(rows); at += loads {
		group := rows[at][0]
		if workload, _, _ := strings.Cut(group, "-"); names[workload] != "" {
			group = names[workload]
		}
		if len(groups) == 0 || groups[len(groups)-1] != group {
			groups = append(groups, group)
			least[group], most[group] = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
		}
		low, high := least[group], most[group]
		for _, row := range rows[at : at+loads] {
			machine, static := number(row, "t_machine"), number(row, "t_static")
			for k, chain := range []float64{number(row, "t_all"), number(row, "t_resized")} {
				difference := chain/machine - 1
				low[k], high[k] = min(low[k], difference), max(high[k], difference)
				largest[k] = max(largest[k], math.Abs(difference))
				if math.Abs(machine/static-1) > 0.03 && (chain < static) != (machine < static) {
					winners[k]++
				}
			}
		}
		least[group], most[group] = low, high
	}
	for _, g := range groups {
		fmt.Fprintf(&page, "| %s | %+.1f to %+.1f | %+.1f to %+.1f |\n", g, 100*least[g][0], 100*most[g][0], 100*least[g][1], 100*most[g][1])
	}
	fmt.Fprintf(&page, "\nThe largest difference is %.1f %% with `stops: all` and %.1f %% with `stops: resized`. At points where dynamic\n"+
		"and the best static partitioning differ by more than 3 %%, the chain with `stops: all` names the wrong winner %d\ntimes, the chain "+
		"with `stops: resized` %d times.\n", 100*largest[0], 100*largest[1], winners[0], winners[1])
	phtest.HoldPage(t, "../docs/elasticity.md", "stops", page.String(), *update)
}
