// This file finds what stands at a path in JSON, through arrays.

package logtext

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Beside returns which elements of arrays on the path of another column belong to the elements picked on the path of the
// value: those of the arrays that are on both.
func Beside(path, other string, picked []int) []int {
	a, b := strings.Split(path, "."), strings.Split(other, ".")
	same := 0
	for same < len(a)-1 && same < len(b)-1 && a[same] == b[same] {
		same++
	}
	out := make([]int, len(b))
	for i := range out {
		out[i] = -1
		if i < same && i < len(picked) {
			out[i] = picked[i]
		}
	}
	return out
}

// Each gives the values at a path to f: the element in want of each array on it, all where want is nil. picked says
// which they were, by step of the path; −1 where there was no array. A path that ends early gives [Absent].
func Each(root any, path string, want []int, f func(picked []int, value any) error) error {
	steps := strings.Split(path, ".")
	if object, ok := root.(map[string]any); ok {
		if value, ok := object[path]; ok { // a key with dots
			if list, isList := value.([]any); !isList || len(steps) > 1 {
				return f(nil, value)
			} else if want == nil {
				return eachElement(list, steps, 1, want, nil, f)
			}
		}
	}
	return walk(root, steps, 0, want, nil, f)
}

// Absent stands for a value where a path ends early.
type Absent struct{}

func walk(at any, steps []string, i int, want, picked []int, f func([]int, any) error) error {
	if i == len(steps) {
		return f(picked, at)
	}
	object, ok := at.(map[string]any)
	if !ok {
		return f(picked, Absent{})
	}
	next, ok := object[steps[i]]
	if !ok {
		return f(picked, Absent{})
	}
	if list, ok := next.([]any); ok {
		return eachElement(list, steps, i+1, want, picked, f)
	}
	return walk(next, steps, i+1, want, append(slices.Clip(picked), -1), f)
}

// eachElement goes on behind step i−1 of a path, which led to a list.
func eachElement(list []any, steps []string, i int, want, picked []int, f func([]int, any) error) error {
	for k, element := range list {
		if want != nil && (i-1 >= len(want) || want[i-1] != k) {
			continue
		}
		if err := walk(element, steps, i, want, append(slices.Clip(picked), k), f); err != nil {
			return err
		}
	}
	return nil
}

// Text returns a value as a field of a table: numbers and texts as they are.
func Text(value any) (text string, missing bool) {
	switch v := value.(type) {
	case Absent:
		return "", true
	case nil:
		return "null", false
	case json.Number:
		return v.String(), false
	case string:
		return v, false
	case bool:
		return strconv.FormatBool(v), false
	}
	out, _ := json.Marshal(value)
	return string(out), false
}
