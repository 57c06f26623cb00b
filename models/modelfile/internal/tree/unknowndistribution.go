package tree

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/models/measure"
)

// distributionRemedy returns the remedy for the name of a distribution that has no phases; "" for other names.
func distributionRemedy(name string) string {
	switch strings.ToLower(name) {
	case "deterministic", "constant", "fixed":
		return "constant times have no phases; {erlang: {mean: 30, phases: 100}} comes close (SCV 0.01)"
	case "lognormal", "weibull", "gamma", "pareto", "uniform", "normal", "gaussian":
		return "use its mean and SCV, {moments: {mean: 30, scv: 2}}, or measured times, {fit: {file: runtimes.csv}}"
	}
	return ""
}

// variationRemedy returns the remedy for a coefficient of variation in place of its square.
func variationRemedy(value *Node) string {
	if cv, ok := measure.ParseNumber(value.Value); ok {
		return fmt.Sprintf("scv is the square of the coefficient of variation: write scv: %.6g", cv*cv)
	}
	return "scv is the square of the coefficient of variation"
}
