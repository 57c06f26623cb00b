package tree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
		before := bytes.TrimRight(read, " \t\r\n")
		if bytes.HasSuffix(before, []byte(",")) && strings.ContainsRune("}]", rune(data[len(read)])) {
			read, problem = before[:len(before)-1], fmt.Sprintf("is not JSON: a comma before %q", data[len(read)])
			remedy = "remove the comma"
			break
		}
		if remedy == "" {
			remedy = jsonRemedy(data[len(read)], message)
		}
	}
	line := read[bytes.LastIndexByte(read, '\n')+1:]
	return src.mistake(bytes.Count(read, []byte("\n"))+1, utf8.RuneCount(line)+1, "", problem, remedy)
}

// jsonRemedy returns what would be right in place of a character that JSON has not in its place; "" if nobody knows.
func jsonRemedy(wrong byte, message string) string {
	switch {
	case wrong == '\'':
		return "put texts in double quotes"
	case wrong == '#' || wrong == '/':
		return "remove the comment: JSON has none; a model in YAML may have comments"
	case strings.HasSuffix(message, "looking for beginning of object key string"):
		return "put the key in double quotes"
	case strings.Contains(message, "after object key:value pair") || strings.Contains(message, "after array element"):
		return "write a comma before it, or close the bracket"
	}
	return ""
}

// foreign matches what JSON has and YAML has not, and backslashes that escape a backslash: notations of characters, raw
// characters that YAML refuses or takes for the ends of lines, and tabs where it wants spaces.
var foreign = regexp.MustCompile(`(?i)\\\\|\\/|(\\ud[89a-f][0-9a-f]{2})+|[\x7f-\x{9f}\x{2028}\x{2029}\x{fffe}\x{ffff}]|\t`)

// toYAML returns a text in JSON as YAML.
func toYAML(data []byte) []byte {
	return foreign.ReplaceAllFunc(data, func(found []byte) []byte {
		switch {
		case found[0] == '\t': // is between tokens, as strings have no raw tabs
			return []byte(" ")
		case found[0] != '\\':
			r, _ := utf8.DecodeRune(found)
			return fmt.Appendf(nil, `\u%04x`, r)
		}
		var text string
		if err := json.Unmarshal([]byte(`"`+string(found)+`"`), &text); err != nil || text == `\` {
			return found
		}
		return []byte(text)
	})
}
