package labcmd_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/labcmd"
	"github.com/partwise/partwise/testdata/zhang"
	"github.com/partwise/partwise/validate/lab"
)

var update = flag.Bool("update", false, "draw the pictures of docs/zhang01.md")

// read returns the outcomes of a figure as they are stored.
func read(t *testing.T, f *lab.CoschedulingFigure) []lab.CoschedulingOutcome {
	t.Helper()
	in, err := os.Open(filepath.Join("../../../../testdata/zhang", "figure"+f.Name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	all, err := zhang.Read(in, f.Runs)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// picturesOfPaper are the pictures of docs/zhang01.md, by figure, with the figure whose results they show.
var picturesOfPaper = map[string]string{"saturation": "saturation", "3": "3", "4": "4", "table4": "table4", "6": "6", "7": "7", "8": "8", "9": "9",
	"11": "11", "12": "11", "13": "11", "15": "15"}

// TestPictures: the pictures of docs/zhang01.md show what is stored; -update draws them.
func TestPictures(t *testing.T) {
	for _, f := range lab.CoschedulingFigures() {
		of, ok := picturesOfPaper[f.Name]
		if !ok {
			continue
		}
		results := f
		results.Name = of
		var b bytes.Buffer
		if err := chart.Write(&b, labcmd.CoscheduleDrawing(f, read(t, &results)), "svg"); err != nil {
			t.Fatal(err)
		}
		name := f.Name
		if name[0] <= '9' {
			name = "figure" + name
		}
		picture := "../../../../docs/img/zhang01-" + name + ".svg"
		if *update {
			if err := os.WriteFile(picture, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(picture); err != nil || !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s is not what is drawn now, %v; -update draws it", picture, err)
		}
	}
}

func TestGroups(t *testing.T) {
	a, b := lab.PaperCase(lab.Mixes()[0]), lab.PaperCase(lab.Mixes()[1])
	var all []lab.CoschedulingOutcome
	for _, c := range []lab.CoschedulingCase{a, a, b} {
		all = append(all, lab.CoschedulingOutcome{Run: lab.CoschedulingRun{Case: c}})
	}
	some := lab.ByCoschedulingCase(all)
	if len(some) != 2 || len(some[0]) != 2 || some[1][0].Case.Name != "wl2" {
		t.Errorf("%d groups of %d outcomes", len(some), len(all))
	}
}
