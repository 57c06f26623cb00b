package decide

import (
	"fmt"

	"github.com/partwise/partwise/models"
)

// LeastAccurate returns the result with the greatest bound of its relative error; nil if none is stable.
func LeastAccurate(results []models.Solved) *models.Solved {
	var least *models.Solved
	for i := range results {
		r := &results[i]
		if r.Measures.Stable && (least == nil || r.Measures.Diagnostics.ErrorBound > least.Measures.Diagnostics.ErrorBound) {
			least = r
		}
	}
	return least
}

// AccuracySentence says how far the means are known that are no less certain than those of a result.
func AccuracySentence(least *models.Solved) string {
	d := &least.Measures.Diagnostics
	if d.Digits() == 1 {
		return "Of every mean at least one digit is certain"
	}
	return fmt.Sprintf("Of every mean at least %d digits are certain", d.Digits())
}
