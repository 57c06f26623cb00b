package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/measure"
)

// The names of intervals and of forecasts, with their confidence level: 95 % interval.
var (
	intervalWords = output.Percent(measure.Confidence) + " interval"
	forecastWords = output.Percent(measure.Confidence) + " forecast"
)
