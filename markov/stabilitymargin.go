package markov

import "github.com/partwise/partwise/markov/internal/reduction"

// sumTol is the largest difference from one of a sum of given probabilities that is accepted. Files hold rounded numbers.
const sumTol = 1e-9

// Stable reports whether a queue with a traffic intensity has a stationary distribution: whether the intensity is below one by more
// than 1e-14. Roundings can have made a smaller distance.
func Stable(intensity float64) bool { return reduction.CheckIntensity(intensity) == nil }

// SumsToOne reports whether the sum of given probabilities is one within 1e-9, which allows for the rounded numbers of files.
func SumsToOne(sum float64) bool { return sum >= 1-sumTol && sum <= 1+sumTol }
