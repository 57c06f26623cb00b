package logtext

import (
	"encoding/json"
	"math"
	"strconv"
)

// JSONText is the text of a value in JSON: of a number, of a text, or of the first value of a list. A number may be written as
// Slurm does: {"set": true, "infinite": false, "number": 60}. The text is "" for null, for an empty list, and for a number that
// is not set or infinite.
type JSONText string

// UnmarshalJSON reads a value of JSON in any of the forms of the type.
func (t *JSONText) UnmarshalJSON(text []byte) (err error) {
	switch text[0] {
	case 'n': // null
		*t = ""
	case '{':
		v := struct {
			Set, Infinite bool
			Number        JSONText
		}{Set: true}
		if err = json.Unmarshal(text, &v); v.Set && !v.Infinite {
			*t = v.Number
		}
	case '[':
		var all []JSONText
		if err = json.Unmarshal(text, &all); len(all) > 0 {
			*t = all[0]
		}
	case '"':
		err = json.Unmarshal(text, (*string)(t))
	default:
		*t = JSONText(text)
	}
	return err
}

// FirstNumber returns the number with a name of the first of the objects that has it. It must be finite and not
// negative, and may be written as a text. ok is false if no object has it.
func FirstNumber(name string, objects ...map[string]JSONText) (number float64, ok bool) {
	for _, o := range objects {
		if x, err := strconv.ParseFloat(string(o[name]), 64); err == nil && x >= 0 && x <= math.MaxFloat64 {
			return x, true
		}
	}
	return 0, false
}
