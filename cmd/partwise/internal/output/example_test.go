package output_test

import (
	"fmt"
	"log"
	"os"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/words"
)

// A table for people, and the same for programs, with every digit.
func Example() {
	t := output.Table{
		Columns: []output.Column{{Name: "policy"}, {Name: "response [s]", Number: true}},
		Rows:    [][]string{{"dynamic", words.Round(127.79364206, 5)}, {"static:4", words.Round(162.513, 5)}},
	}
	if err := t.WriteText(os.Stdout, output.UsualWidth, false); err != nil {
		log.Fatal(err)
	}
	fmt.Println()
	o := output.Object{{Name: "policy", Value: "dynamic"}, {Name: "mean_response_time", Value: 127.79364206}}
	if err := output.WriteJSON(os.Stdout, o); err != nil {
		log.Fatal(err)
	}
	// Output:
	// policy    response [s]
	// dynamic         127.79
	// static:4        162.51
	//
	// {
	//   "policy": "dynamic",
	//   "mean_response_time": 127.79364206
	// }
}
