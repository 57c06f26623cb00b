package models_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/partwise/partwise/phasetype/phtest"
)

// TestStopsPage holds the table of docs/elasticity.md to the study that go test ./validate -run StopsStudy -long makes.
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
	page.WriteString("| model | `stops: all`, from, to | `stops: resized` at .1 | .2 | .3 | .4 | .5 | .6 | .7 | .8 | .9 |\n")
	page.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	const loads = 9
	largest, largestAll, winners := 0.0, 0.0, [2]int{}
	for at := 1; at < len(rows); at += loads {
		least, most, cells := math.Inf(1), math.Inf(-1), ""
		for _, row := range rows[at : at+loads] {
			machine, static := number(row, "t_machine"), number(row, "t_static")
			all, resized := number(row, "t_all"), number(row, "t_resized")
			least, most = min(least, all/machine-1), max(most, all/machine-1)
			largest, largestAll = max(largest, math.Abs(resized/machine-1)), max(largestAll, math.Abs(all/machine-1))
			cells += fmt.Sprintf(" %+.1f |", 100*(resized/machine-1))
			if math.Abs(machine/static-1) <= 0.03 {
				continue
			}
			for k, chain := range []float64{all, resized} {
				if (chain < static) != (machine < static) {
					winners[k]++
				}
			}
		}
		fmt.Fprintf(&page, "| %s | %+.1f to %+.1f |%s\n", rows[at][0], 100*least, 100*most, cells)
	}
	fmt.Fprintf(&page, "\nThe largest difference is %.1f %% with `stops: all` and %.1f %% with `stops: resized`. Where "+
		"dynamic and the best\nstatic partitioning differ by more than 3 %%, the first has another winner than the machine at "+
		"%d points, the second\nat %d.\n", 100*largestAll, 100*largest, winners[0], winners[1])
	phtest.HoldPage(t, "../docs/elasticity.md", "stops", page.String(), *update)
}
