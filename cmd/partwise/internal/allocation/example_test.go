package allocation_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/allocation"
)

// A study names strategies; what is misspelt is found when the study is read.
func ExampleVocabulary() {
	v := allocation.Vocabulary()
	fmt.Println(v.Strategy("avg:stubborn"))
	fmt.Println(v.Strategy("sve"))
	// Output:
	// <nil>
	// no strategy "sve"; did you mean "sev"?
}
