package chart

import "slices"

// Together gives series of the same name the same colour and marker in all figures of a page. Series of different names get
// different colours and markers, as long as there are enough of them.
func Together(figures ...*Figure) {
	var names []string
	for _, f := range figures {
		for _, name := range f.told() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	all := looks(names)
	for _, f := range figures {
		f.marks = nil
		for _, name := range f.told() {
			f.marks = append(f.marks, all[slices.Index(names, name)])
		}
	}
}

// told returns the names that colours tell apart: the series, or the two strokes of a single series.
func (f *Figure) told() []string {
	if f.single() {
		return []string{f.Solid, f.Dashed}
	}
	return f.Series
}

// mark returns the place of a series among colours and markers.
func (f *Figure) mark(series int) int {
	marks := f.marks
	if marks == nil {
		marks = looks(f.told())
	}
	if series < len(marks) {
		return marks[series]
	}
	return series
}
