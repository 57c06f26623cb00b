package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"
)

// jsonError returns the error of a text that is not JSON, nil if it is.
func jsonError(src *Source, data []byte) *Error {
	var syntax *json.SyntaxError
	if !errors.As(json.Unmarshal(data, new(json.RawMessage)), &syntax) {
		return nil
	}
	read, problem, remedy := data[:syntax.Offset], "is not JSON: "+syntax.Error(), ""
	switch message := syntax.Error(); {
	case strings.HasPrefix(message, "unexpected end"):
		problem = "is not JSON: the file ends too early"
	case strings.HasSuffix(message, "after top-level value"):
		problem, remedy = secondDocument, oneDocument
		fallthrough
	default:
		read = read[:len(read)-1] // without the character that is wrong
	}
	line := read[bytes.LastIndexByte(read, '\n')+1:]
	return src.mistake(bytes.Count(read, []byte("\n"))+1, utf8.RuneCount(line)+1, "", problem, remedy)
}

// escapes matches a character in a notation of JSON that YAML does not have, and backslashes that begin no such character.
var escapes = regexp.MustCompile(`(?i)\\\\|\\/|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}`)

// toYAML returns a text in JSON as YAML.
func toYAML(data []byte) []byte {
	return escapes.ReplaceAllFunc(data, func(escape []byte) []byte {
		var text string
		if err := json.Unmarshal([]byte(`"`+string(escape)+`"`), &text); err != nil || text == `\` {
			return escape
		}
		return []byte(text)
	})
}
