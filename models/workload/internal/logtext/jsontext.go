package logtext

import "encoding/json"

// JSONText is the text of a value in JSON: of a number, of a text, or of the first value of a list. A number may be written as Slurm does:
// {"set": true, "infinite": false, "number": 60}. The text is "" for null, for an empty list, and for a number that is not set or infinite.
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
