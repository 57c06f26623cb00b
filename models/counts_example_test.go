package models_test

import (
	"fmt"

	"github.com/partwise/partwise/models"
)

// A job in phase 0 moves on to phase 1, in which there are 255.
func ExampleChanged() {
	s := models.countsOf(3, 255)
	moved := models.countChanged(models.countChanged(s, 0, -1), 1, 1)
	fmt.Println(models.countAt(moved, 0), models.countAt(moved, 1), models.countTotal(moved), moved < s)
	// Output: 2 256 258 true
}
