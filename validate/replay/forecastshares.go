package replay

// ForecastShares returns the shares of malleable jobs for which a study of a log forecasts the gain of resizing: 0.2,
// 0.5 and 1.
func ForecastShares() []float64 { return []float64{0.2, 0.5, 1} }
