package markov

// unstableMargin is the relative distance of two opposite rates below which rounding errors may have made the distance.
const unstableMargin = 1e-12

// sumTol is the largest difference from one of a sum of given probabilities that is accepted. Files hold rounded numbers.
const sumTol = 1e-9

// Stable reports whether a queue with a traffic intensity has a stationary distribution: whether the intensity is below one by more
// than 1e-12. A smaller distance does not differ from zero in double precision.
func Stable(intensity float64) bool { return intensity < 1-unstableMargin }

// SumsToOne reports whether the sum of given probabilities is one within 1e-9, which allows for the rounded numbers of files.
func SumsToOne(sum float64) bool { return sum >= 1-sumTol && sum <= 1+sumTol }
