package main

import (
	"fmt"
	"slices"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
)

// mostStudies bounds the studies of one command line.
const mostStudies = 100

// gallery is the curves of one or more studies.
type gallery struct{ curves []*curves }

func newGallery(layouts []layout, points [][]models.Point) view {
	var g gallery
	for i, l := range layouts {
		g.curves = append(g.curves, newCurves(l, points[i]))
	}
	return g
}

// result lays out the studies.
func (g gallery) result() *result {
	var all []*result
	for _, c := range g.curves {
		all = append(all, c.result())
	}
	return bound(all)
}

func (g gallery) figure(kinds []panel) *chart.Figure { return figureOf(g.curves, kinds) }

// bound makes one result of those of several studies, each of which begins with its version and its title: one as it is,
// several under each other.
func bound(all []*result) *result {
	if len(all) == 1 {
		return all[0]
	}
	head := heads(all)
	r := &result{json: output.Object{{Name: "version", Value: resultVersion}}, csv: [][]string{head}}
	studies := []output.Object{}
	for _, one := range all {
		title := fmt.Sprint(one.json[1].Value)
		studies = append(studies, one.json[1:]) // the version is that of all
		for _, values := range one.csv[1:] {
			row := make([]string, len(head))
			row[0] = title
			for j, name := range one.csv[0] {
				row[slices.Index(head, name)] = values[j]
			}
			r.csv = append(r.csv, row)
		}
		for _, t := range one.tables {
			t.Title = title + ": " + t.Title
			r.tables = append(r.tables, t)
		}
		for _, note := range one.notes {
			r.notes = append(r.notes, title+": "+note)
		}
	}
	r.json.Add("studies", studies)
	return r
}

// heads names the columns of all studies: those of the first, then those that only others have.
func heads(all []*result) []string {
	head := []string{"study"}
	for _, one := range all {
		for _, name := range one.csv[0] {
			if !slices.Contains(head, name) {
				head = append(head, name)
			}
		}
	}
	return head
}
