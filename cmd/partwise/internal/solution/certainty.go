package solution

import (
	"fmt"

	"github.com/partwise/partwise/models/decide"
	"github.com/partwise/partwise/models/words"
)

// Certainty says how many digits of the mean response times are certain, given the least accurate result; "" without a result.
func Certainty(least *decide.Solved) string {
	if least == nil {
		return ""
	}
	return fmt.Sprintf("All means of the model have at least %s that are certain. How well the model describes the machine is "+
		"another question.", words.Count(least.Measures.Diagnostics.Digits(), "digit"))
}
