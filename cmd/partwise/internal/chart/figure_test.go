package chart

import "testing"

// TestFiguresAreMadePointByPoint: a point goes to the panel of its title and to the line of its series and stroke.
func TestFiguresAreMadePointByPoint(t *testing.T) {
	f := &Figure{}
	for _, p := range []struct {
		title, series string
		stroke        Stroke
	}{{"a", "x", Solid}, {"a", "y", Solid}, {"b", "x", Solid}, {"a", "x", Dashed}, {"a", "x", Solid}} {
		f.PanelOf(Panel{Title: p.title}).Add(Line{Series: f.SeriesOf(p.series), Stroke: p.stroke}, 1, 2)
	}
	if len(f.Series) != 2 || len(f.Panels) != 2 || len(f.Panels[0].Lines) != 3 || len(f.Panels[1].Lines) != 1 {
		t.Fatalf("series %v, panels %v", f.Series, f.Panels)
	}
	if l := f.Panels[0].Lines[0]; len(l.X) != 2 || len(l.Y) != 2 || l.Stroke != Solid {
		t.Errorf("the first line is %v", l)
	}
}

// TestFewPanelsLeaveNoColumnEmpty: fewer panels than a row may hold stand in as many columns as there are panels.
func TestFewPanelsLeaveNoColumnEmpty(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 1}, 2: {1, 2}, 3: {1, 3}, 4: {2, 3}} {
		f := &Figure{Columns: 3, Panels: make([]Panel, n)}
		if rows, columns := f.grid(); [2]int{rows, columns} != want {
			t.Errorf("%d panels stand in %d rows and %d columns", n, rows, columns)
		}
	}
}
