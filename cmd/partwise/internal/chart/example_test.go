package chart_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
)

// One figure in every format: for papers, for documents, and for browsers.
func ExampleWrite() {
	f := &chart.Figure{
		Title: "Two policies", XLabel: "load", Series: []string{"eight nodes"}, Strokes: []string{"dynamic", "static"},
		Panels: []chart.Panel{{Title: "Mean response time", YLabel: "seconds", MayLog: true, Lines: []chart.Line{
			{X: []float64{0.2, 0.5, 0.8}, Y: []float64{120, 180, 420}},
			{X: []float64{0.2, 0.5, 0.8}, Y: []float64{150, 260, 610}, Stroke: chart.Dashed},
		}}},
	}
	for _, format := range chart.Formats {
		var b bytes.Buffer
		if err := chart.Write(&b, f, format); err != nil {
			log.Fatal(err)
		}
		fmt.Println(format, b.Len() > 1000)
	}
	// Output:
	// svg true
	// png true
	// pdf true
	// html true
}
