package words_test

import (
	"fmt"

	"github.com/partwise/partwise/models/words"
)

// An unknown word is answered by the known word that is nearest, or by all of them.
func ExampleSuggest() {
	units := []string{"seconds", "minutes", "hours"}
	fmt.Println(words.Suggest("minuts", units))
	fmt.Println(words.Suggest("furlongs", units))
	// Output:
	// did you mean "minutes"?
	// use seconds, minutes or hours
}
