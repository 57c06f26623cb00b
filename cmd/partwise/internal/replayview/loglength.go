package replayview

import (
	"math"

	"github.com/partwise/partwise/models/words"
)

// lengthWords writes a number of days.
func lengthWords(days float64) string {
	const year = 365.25
	switch {
	case days > 100*year:
		return "more than 100 years"
	case days >= 2*year:
		return words.Fixed(math.Round(days/year), 0) + " years"
	case days >= year/6:
		return words.Fixed(math.Round(12*days/year), 0) + " months"
	case days >= 2:
		return words.Fixed(math.Round(days), 0) + " days"
	}
	return words.Count(max(1, int(math.Round(24*days))), "hour")
}
