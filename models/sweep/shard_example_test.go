package sweep_test

import (
	"fmt"
	"log"

	"github.com/partwise/partwise/models/sweep"
)

// The second of three processes works on every third point, and writes to a file of its own.
func ExampleParseShard() {
	s, err := sweep.ParseShard("2/3")
	if err != nil {
		log.Fatal(err)
	}
	var points []int
	for i := range 8 {
		if s.Holds(i) {
			points = append(points, i)
		}
	}
	fmt.Println(s.File("grid.csv"), points)
	// Output: grid.csv.shard-2-of-3 [1 4 7]
}
