package output

import (
	"reflect"

	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/validate/metric"
)

// exists reports whether a value exists: nil, an empty text, a nil slice and a number that is not finite do not.
func exists(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case string:
		return v != ""
	case float64, metric.Interval:
		return isFinite(v)
	}
	rv := reflect.ValueOf(value)
	return rv.Kind() != reflect.Slice || !rv.IsNil()
}

// isFinite reports whether a value is no number, or a finite one. Of an interval the mean counts.
func isFinite(value any) bool {
	switch v := value.(type) {
	case float64:
		return words.Finite(v)
	case metric.Interval:
		return words.Finite(v.Mean)
	}
	return true
}

// When returns the value of a column for a row that has it: v, or nil.
func When(has bool, v any) any {
	if has {
		return v
	}
	return nil
}

// Positive returns a number that exists if it is above 0.
func Positive[N int | float64](v N) any { return When(v > 0, v) }

// NonZero returns a value that exists if it is not the zero value of its type.
func NonZero[T comparable](v T) any {
	var zero T
	return When(v != zero, v)
}
