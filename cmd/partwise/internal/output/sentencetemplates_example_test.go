package output_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

func ExampleParseProse() {
	text := output.ParseProse(`{{define "answer"}}
		{{if .Jobs}}The log has {{count .Jobs "job"}}.{{end}}
		Utilization is {{percent .Share}}.
	{{end}}`)
	for _, sentence := range text.Sentences("answer", map[string]any{"Jobs": 1, "Share": 0.5}) {
		fmt.Println(sentence)
	}
	// Output:
	// The log has 1 job.
	// Utilization is 50 %.
}
