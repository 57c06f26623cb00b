package decide

import (
	"fmt"

	"github.com/partwise/partwise/models/decide"
)

// AccuracySentence says how far the means are known that are no less certain than those of a result.
func AccuracySentence(least *decide.Solved) string {
	d := &least.Measures.Diagnostics
	if d.Digits() == 1 {
		return "Of every mean at least one digit is certain"
	}
	return fmt.Sprintf("Of every mean at least %d digits are certain", d.Digits())
}
