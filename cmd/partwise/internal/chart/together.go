package chart

import "slices"

// Together makes figures of one page fit together: what has the same name has the same colour and marker in all of them, and
// what has another name has another one, as long as there are any.
func Together(figures ...*Figure) {
	var names []string
	for _, f := range figures {
		f.marks = nil
		for _, name := range f.told() {
			at := slices.Index(names, name)
			if at < 0 {
				at = len(names)
				names = append(names, name)
			}
			f.marks = append(f.marks, at)
		}
	}
}

// told returns what colours tell apart.
func (f *Figure) told() []string {
	if f.single() {
		return []string{f.Solid, f.Dashed}
	}
	return f.Series
}

// mark returns the place of a series among colours and markers.
func (f *Figure) mark(series int) int {
	if series < len(f.marks) {
		return f.marks[series]
	}
	return series
}
