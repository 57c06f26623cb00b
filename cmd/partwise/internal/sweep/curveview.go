package sweep

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/decide"
)

// curveView is the curves of one or more studies.
type curveView struct{ curves []*Curves }

func newCurveView(layouts []Layout, points [][]decide.Point) view {
	var g curveView
	for i, l := range layouts {
		g.curves = append(g.curves, NewCurves(l, points[i]))
	}
	return g
}

// result lays out the studies.
func (g curveView) result() *cli.Result {
	var all []*cli.Result
	for _, c := range g.curves {
		all = append(all, c.result())
	}
	return combined(all)
}

func (g curveView) figure(kinds []PanelKind) *chart.Figure { return Figure(g.curves, kinds) }

// combined makes one result of those of several studies, each of which begins with its version and its title: one as it
// is, several under each other.
func combined(all []*cli.Result) *cli.Result {
	if len(all) == 1 {
		return all[0]
	}
	columns := columnNames(all)
	r := &cli.Result{JSON: output.Object{{Name: "version", Value: output.Version}}, CSV: [][]string{columns}}
	studies := []output.Object{}
	for _, one := range all {
		title := fmt.Sprint(one.JSON[1].Value)
		studies = append(studies, one.JSON[1:]) // the version is that of all
		for _, values := range one.CSV[1:] {
			row := make([]string, len(columns))
			row[0] = title
			for j, name := range one.CSV[0] {
				row[slices.Index(columns, name)] = values[j]
			}
			r.CSV = append(r.CSV, row)
		}
		for _, t := range one.Tables {
			t.Title = title + ": " + t.Title
			r.Tables = append(r.Tables, t)
		}
		for _, note := range one.Notes {
			r.Notes = append(r.Notes, title+": "+note)
		}
	}
	r.JSON.Add("studies", studies)
	return r
}

// columnNames names the columns of all studies: those of the first, then those that only others have.
func columnNames(all []*cli.Result) []string {
	columns := []string{"study"}
	for _, one := range all {
		for _, name := range one.CSV[0] {
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	return columns
}
