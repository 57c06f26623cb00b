package testbedcmd_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"strconv"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/testbedcmd"
	"github.com/partwise/partwise/validate/lab"
)

var update = flag.Bool("update", false, "draw the picture of docs/testbed.md")

// TestPictureShowsWhatWasMeasured: the picture of docs/testbed.md shows the costs of testdata/testbed/processes.csv.
func TestPictureShowsWhatWasMeasured(t *testing.T) {
	f, err := os.Open("../../../../testdata/testbed/processes.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	m := &lab.Measured{}
	for _, row := range rows[1:] {
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(row[column[name]], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		why := lab.AfterArrival
		if row[column["why"]] == "departure" {
			why = lab.AfterDeparture
		}
		m.Transitions = append(m.Transitions, lab.Transition{Why: why, Running: int(number("jobs")),
			Samples: []lab.Reconfiguration{{Notify: number("notify"), Data: number("data"), Start: number("start")}}})
	}
	var b bytes.Buffer
	if err := chart.Write(&b, testbedcmd.CostFigure(m, 8), "svg"); err != nil {
		t.Fatal(err)
	}
	const picture = "../../../../docs/img/testbed.svg"
	if *update {
		if err := os.WriteFile(picture, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(picture); err != nil || !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is not what is drawn now, %v; -update draws it", picture, err)
	}
}
