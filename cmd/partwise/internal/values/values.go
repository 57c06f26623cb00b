// Package values reads the values of flags from their texts: numbers, shares, lists, and words of which some are known.
// An error says what is wrong with a text, such as: "x" is not a positive number.
package values

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/models/measure"
	"github.com/partwise/partwise/models/words"
)

// UnknownError is the error of an unknown word. The complaint says what kind of word it is, such as "unknown format".
type UnknownError struct {
	Word  string
	Known []string

	complaint string
}

func (e *UnknownError) Error() string { return fmt.Sprintf("%s %q", e.complaint, e.Word) }

// AsIs parses a text to itself.
func AsIs(text string) (string, error) { return text, nil }

// OneOf returns what parses a text to one of the known words. The error of another word begins with the complaint, such as unknown
// criterion.
func OneOf[T ~string](complaint string, known ...T) func(string) (T, error) {
	_, parse := ByName(complaint, known, func(w T) string { return string(w) })
	return parse
}

// ByName returns the names of known things, and what parses a name to its thing; see [OneOf].
func ByName[T any](complaint string, known []T, name func(T) string) (names []string, parse func(string) (T, error)) {
	names = words.Texts(known, name)
	return names, func(text string) (one T, err error) {
		i := slices.Index(names, text)
		if i < 0 {
			return one, &UnknownError{text, names, complaint}
		}
		return known[i], nil
	}
}

// ListOf parses words that are separated by commas, each by parse.
func ListOf[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		var all []T
		for word := range strings.SplitSeq(text, ",") {
			v, err := parse(strings.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			all = append(all, v)
		}
		return all, nil
	}
}

// ListWithUnits parses words that are separated by commas, each by parse. A list is an error if it has a number without a unit
// before a number with one, see [measure.CheckUnits].
func ListWithUnits[T any](parse func(string) (T, error)) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		if err := measure.CheckUnits(text); err != nil {
			return nil, err
		}
		return ListOf(parse)(text)
	}
}

// IsNumber reports whether a word is a number.
func IsNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// Whole parses a whole number, also one written as 1e6.
func Whole(text string) (int, error) {
	if n, ok := measure.ParseCount(text, math.MinInt); ok {
		return n, nil
	}
	if _, ok := measure.ParseWhole(text); ok {
		return 0, fmt.Errorf("%s is too large", text)
	}
	return 0, fmt.Errorf("%q is not a whole number", text)
}

// Seed parses the seed of random numbers, also one written as 1e6 or in the digits of another base, such as 0xff.
func Seed(text string) (uint64, error) {
	if n, err := strconv.ParseUint(text, 0, 64); err == nil {
		return n, nil
	}
	if n, ok := measure.ParseWhole(text); ok && n.IsUint64() {
		return n.Uint64(), nil
	}
	return 0, fmt.Errorf("%q is not a whole number from 0 to %d", text, uint64(math.MaxUint64))
}

// PositiveNumber parses a number above 0.
func PositiveNumber(text string) (float64, error) {
	return numberFrom(math.SmallestNonzeroFloat64, "positive", text)
}

// NonnegativeNumber parses a number from 0.
func NonnegativeNumber(text string) (float64, error) { return numberFrom(0, "nonnegative", text) }

// numberFrom parses a finite number that is not below the least; kind names such numbers.
func numberFrom(least float64, kind, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if meant := measure.MeantPoint(text); err != nil && meant != "" {
		return 0, fmt.Errorf("%q is not a %s number; %s", text, kind, meant)
	}
	if err != nil || !(v >= least) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("%q is not a %s number", text, kind)
	}
	return v, nil
}

// mostNumbers bounds the whole numbers of one flag.
const mostNumbers = 10_000

// mostExact is the largest whole number that no other number is rounded to: 2⁵³ + 1 is read as 2⁵³.
const mostExact = 1<<53 - 1

// WholeNumbers returns a parser of lists of whole numbers from least to most and of ranges A:B:STEP. The numbers are read as
// floating-point numbers, so those above 2⁵³ − 1 are refused: they may have been rounded.
func WholeNumbers(least, most int) func(string) ([]int, error) {
	largest := min(int64(most), mostExact)
	return func(text string) ([]int, error) {
		values, err := measure.ParseNumbers(text, measure.Limits{Most: mostNumbers})
		numbers := make([]int, len(values))
		for i, v := range values {
			if v != math.Trunc(v) || v < float64(least) || v > float64(largest) {
				return nil, fmt.Errorf("%v is not a whole number from %d to %d", v, least, largest)
			}
			numbers[i] = int(v)
		}
		return numbers, err
	}
}

// PositiveInt accepts whole numbers above 0.
func PositiveInt(n int) error {
	if n < 1 {
		return fmt.Errorf("%d is not a positive number", n)
	}
	return nil
}

// mostSimulated bounds the jobs of a simulation: ten million jobs a second, the most that are simulated, take a day for 10¹² jobs.
const mostSimulated = 1_000_000_000_000

// Simulated accepts numbers of jobs that can be simulated.
func Simulated(n int) error {
	if int64(n) > mostSimulated {
		return fmt.Errorf("%d jobs take more than a day; simulate at most %d", n, int64(mostSimulated))
	}
	return PositiveInt(n)
}

// leastPrecision is the narrowest relative half-width that a simulation of 10¹² jobs reaches at a moderate load.
const leastPrecision = 1e-6

// Precision parses the relative half-width of a confidence interval, a share that simulations can reach.
func Precision(text string) (float64, error) {
	v, err := Share(text)
	if err == nil && v < leastPrecision {
		return 0, fmt.Errorf("%q is narrower than any simulation reaches; use at least %g %%", text, 100*leastPrecision)
	}
	return v, err
}

// Between accepts whole numbers from least to most.
func Between(least, most int) func(int) error {
	return func(n int) error {
		if n < least || n > most {
			return fmt.Errorf("%d is not between %d and %d", n, least, most)
		}
		return nil
	}
}

// Share parses a number between 0 and 1, also written as a percentage.
func Share(text string) (float64, error) {
	v, ok := measure.ParseNumber(strings.TrimSpace(text))
	switch meant := measure.Percentage(v); {
	case ok && v > 0 && v < 1:
		return v, nil
	case meant != "" && !measure.IsPercent(strings.TrimSpace(text)):
		return 0, fmt.Errorf("%q is not a share between 0 and 1; %s", text, meant)
	case strings.TrimSpace(text) == "1": // may mean 1 % or 100 %
		return 0, fmt.Errorf("%q is not a share between 0 and 1; did you mean 1%%?", text)
	}
	if meant := measure.MeantPoint(text); meant != "" {
		return 0, fmt.Errorf("%q is not a share between 0 and 1; %s", text, meant)
	}
	return 0, fmt.Errorf("%q is not a share between 0 and 1", text)
}

// mostLoads bounds the loads of one command line.
const mostLoads = 100_000

// Loads reads loads: positive numbers or percentages and ranges A:B:STEP, separated by commas.
func Loads(text string) ([]float64, error) {
	return measure.ParseNumbers(text, measure.Limits{Positive: true, Loads: true, Most: mostLoads})
}

// MostReplications bounds --replications: the results of all replications are kept in memory.
const MostReplications = 10_000

// MostStudies bounds the studies of one command line.
const MostStudies = 100

// Memory reads the limit of the memory that all calculations take together, such as 512MiB.
func Memory(text string) (*markov.Memory, error) {
	bytes, ok := measure.ParseBytes(text)
	if !ok {
		return nil, fmt.Errorf("%q is not a size of at least 1MiB, such as 512MiB; units are KiB, MiB, GiB and TiB", text)
	}
	return markov.NewMemory(bytes), nil
}
