package spec

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// yamlLine matches the place in a message of the YAML package.
var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// syntaxFault returns the error of a text that is not YAML. The parser knows only the line, and for what was opened and
// not closed the line where it gave up; tabs and brackets are therefore looked for first.
func syntaxFault(src *source, data []byte, err error) *Error {
	if line, col, ok := tabIndent(src.lines); ok {
		return src.fault(line, col, "", "a tab in the indentation", "indent with spaces")
	}
	if line, col, problem, ok := brackets(src.lines); ok {
		return src.fault(line, col, "", problem, "")
	}
	message := err.Error()
	line, col := 1, 1
	if m := yamlLine.FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = min(max(n, 1), len(src.lines))
		}
	}
	text := src.line(line)
	col += len(text) - len(strings.TrimLeft(text, " "))
	return src.fault(line, col, "", "is not YAML: "+message, "")
}

// tabIndent finds the first tab in the indentation of a line that says something.
func tabIndent(lines []string) (line, col int, ok bool) {
	for i, l := range lines {
		rest := strings.TrimLeft(l, " ")
		if strings.HasPrefix(rest, "\t") && strings.TrimSpace(rest) != "" {
			return i + 1, len(l) - len(rest) + 1, true
		}
	}
	return 0, 0, false
}

// opened is a bracket that waits for its partner.
type opened struct {
	closer    rune
	line, col int
}

// brackets finds a bracket of a flow list or mapping that has no partner. It knows of quotes and comments only as much
// as that takes, and gives up on texts with quotes over several lines.
func brackets(lines []string) (line, col int, problem string, ok bool) {
	var open []opened
	for i, l := range lines {
		var quote, previous rune
		for j, c := range []rune(l) {
			switch {
			case quote != 0:
				if c == quote && previous != '\\' {
					quote = 0
				}
			case c == '#' && (previous == 0 || previous == ' ' || previous == '\t'):
				goto next
			case (c == '"' || c == '\'') && strings.ContainsRune("\x00 ,:[{", previous):
				quote = c
			case c == '[' || c == '{':
				if len(open) > 0 || previous == 0 || previous == ' ' {
					open = append(open, opened{c + 2, i + 1, j + 1}) // ] and } follow [ and { by two
				}
			case (c == ']' || c == '}') && len(open) > 0:
				last := open[len(open)-1]
				if last.closer != c {
					return i + 1, j + 1, fmt.Sprintf("%q closes the %q of line %d", c, last.closer-2, last.line), true
				}
				open = open[:len(open)-1]
			}
			previous = c
		}
		if quote != 0 {
			return 0, 0, "", false
		}
	next:
	}
	if len(open) > 0 {
		first := open[len(open)-1]
		return first.line, first.col, fmt.Sprintf("%q is never closed", first.closer-2), true
	}
	return 0, 0, "", false
}
