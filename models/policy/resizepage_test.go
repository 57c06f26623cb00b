package policy_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/partwise/partwise/testdata/phtest"
)

// TestResizePage holds the table of docs/when-to-resize.md to the study that go test ./validate/advise -run
// ResizeStudy -study makes.
func TestResizePage(t *testing.T) {
	f, err := os.Open("../../testdata/studies/resize.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var cases, searches []string // in their order
	cells := map[[2]string]string{}
	for _, row := range rows[1:] {
		c := row[0] + " s, " + map[string]string{"all": "all stop", "resized": "resized stop"}[row[1]]
		if len(cases) == 0 || cases[len(cases)-1] != c {
			cases = append(cases, c)
		}
		if len(cases) == 1 {
			searches = append(searches, row[2])
		}
		var mean float64
		if _, err := fmt.Sscan(row[4], &mean); err != nil {
			t.Fatal(err)
		}
		cell := fmt.Sprintf("%.0f", mean)
		if _, rule, found := strings.Cut(row[3], "resize:"); found {
			cell += " `" + rule + "`"
		}
		cells[[2]string{c, row[2]}] = cell
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| varied | %s |\n|---|%s\n", strings.Join(cases, " | "), strings.Repeat("---|", len(cases)))
	for _, s := range searches {
		if strings.HasPrefix(s, "cooldown, cap") {
			continue // a cap beside a cooldown brings nothing; the file has the rows
		}
		fmt.Fprintf(&b, "| %s |", s)
		for _, c := range cases {
			fmt.Fprintf(&b, " %s |", cells[[2]string{c, s}])
		}
		b.WriteString("\n")
	}
	phtest.HoldPage(t, "../../docs/when-to-resize.md", "resize", b.String(), *update)
}
