package replayview

import (
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// The names of intervals and of forecasts, with their confidence level: 95 % interval.
var (
	intervalWords = words.Percent(measure.Confidence) + " interval"
	forecastWords = words.Percent(measure.Confidence) + " forecast"
)
