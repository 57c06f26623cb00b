package chart

import "testing"

// TestColoursOfAPage: on one page a name has one colour in all legends, and no colour stands for two names.
func TestColoursOfAPage(t *testing.T) {
	x := []float64{1, 2}
	lines := func(dashed bool) []Panel {
		return []Panel{{Lines: []Line{{X: x, Y: x}, {X: x, Y: x, Series: 1, Dashed: dashed}}}}
	}
	single := &Figure{Series: []string{"the machine"}, Solid: "dynamic", Dashed: "best static",
		Panels: []Panel{{Lines: []Line{{X: x, Y: x}, {X: x, Y: x, Dashed: true}}}}}
	fits := &Figure{Series: []string{"log", "model"}, Panels: lines(false)}
	again := &Figure{Series: []string{"model", "easy"}, Panels: lines(false)}
	Together(single, fits, again)
	named := map[string]string{} // by name
	owner := map[string]string{} // by colour
	for _, f := range []*Figure{single, fits, again} {
		for i, s := range f.forPage().Series {
			name := f.told()[i]
			if c, known := named[name]; known && c != s.Color {
				t.Errorf("%s is %s and %s", name, c, s.Color)
			}
			if other, taken := owner[s.Color]; taken && other != name {
				t.Errorf("%s is the colour of %s and of %s", s.Color, other, name)
			}
			named[name], owner[s.Color] = s.Color, name
			if i < len(f.legend(f.names()).entries) && hex(f.legend(f.names()).entries[i].stroke.Color) != s.Color {
				t.Errorf("%s has another colour on paper", name)
			}
		}
	}
	if len(owner) != 5 {
		t.Errorf("there are %d colours, want 5", len(owner))
	}
}
