package values_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/values"
)

// A flag of a list takes words that are separated by commas. The error of another word says what is unknown.
func Example() {
	shapes := values.ListOf(values.OneOf("unknown shape", "disc", "square"))
	fmt.Println(shapes("disc, square"))
	fmt.Println(shapes("cube"))
	fmt.Println(values.Share("25%"))
	// Output:
	// [disc square] <nil>
	// [] unknown shape "cube"
	// 0.25 <nil>
}
