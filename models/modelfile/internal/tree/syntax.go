package tree

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlLine matches the place in a message of the YAML package.
var yamlLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`) })

// syntaxError returns the error of a text that is not YAML. The parser knows only the line, and for what was opened and
// not closed the line where it gave up; tabs and brackets are therefore looked for first.
func syntaxError(src *Source, err error) *Error {
	if line, col, ok := tabIndent(src.lines); ok {
		return src.mistake(line, col, "", "a tab in the indentation", "indent with spaces")
	}
	if line, col, problem, ok := brackets(src.lines); ok {
		return src.mistake(line, col, "", problem, "")
	}
	message := err.Error()
	line, col := 1, 1
	if m := yamlLine().FindStringSubmatch(message); m != nil {
		message = message[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = failingLine(src.lines, min(max(n, 1), len(src.lines)))
		}
	}
	if m := unknownAnchor().FindStringSubmatch(message); m != nil {
		line, col = find(src.lines, "*"+m[1])
		return src.mistake(line, col, "", "the alias *"+m[1]+" stands for nothing",
			"define the anchor &"+m[1]+" before it, or put the value in quotes")
	}
	text := src.line(line)
	col += len(text) - len(strings.TrimLeft(text, " "))
	if previous := src.line(line - 1); message == noMapping && line > 1 && joined().MatchString(previous) {
		return src.mistake(line-1, 1+len(previous)-len(strings.TrimLeft(previous, " ")), "", "is not YAML: no blank after the colon",
			"write "+joined().ReplaceAllString(strings.TrimSpace(previous), "$1: $2"))
	}
	return src.mistake(line, col, "", "is not YAML: "+message, yamlRemedy(message, text))
}

// noMapping is the message about a colon where no field may begin.
const noMapping = "mapping values are not allowed in this context"

// joined matches a key with a value but without a blank between them, such as nodes:32.
var joined = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\w+):(\S+)$`) })

// several matches a line of a key and, behind its colon, fields without braces.
var several = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(\w+): +(\w+: .*)$`) })

// yamlRemedy returns what would be right in place of a line that is not YAML; "" if nobody knows.
func yamlRemedy(message, line string) string {
	fields := several().FindStringSubmatch(line)
	switch {
	case message == noMapping && fields != nil:
		return fmt.Sprintf("put several fields in braces: %s: {%s}", fields[1], fields[2])
	case message == noMapping || message == "did not find expected key":
		return "indent this line as the other fields of its section"
	case strings.HasPrefix(message, "found unknown escape character"):
		return `write \\ in double quotes, or put the text in single quotes`
	case strings.HasPrefix(message, "found character that cannot start any token"):
		return "put the value in quotes"
	}
	return ""
}

// unknownAnchor matches the message about an alias without an anchor.
var unknownAnchor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^unknown anchor '(.*)' referenced$`) })

// find returns the first place of a word in the lines.
func find(lines []string, word string) (line, col int) {
	for i, l := range lines {
		if at := strings.Index(l, word); at >= 0 {
			return i + 1, utf8.RuneCountInString(l[:at]) + 1
		}
	}
	return 1, 1
}

// failingLine returns the line at which the parser gives up: it names the line before, or the one where the mapping or
// list begins that it could not end. The first of the following lines up to which the text cannot be parsed, though all
// brackets are closed, is the one in question.
func failingLine(lines []string, from int) int {
	const most, size = 50, 1 << 17
	text := strings.Join(lines[:from-1], "\n")
	for k := from; k <= min(from+most, len(lines)) && len(text) < size; k++ {
		text += "\n" + lines[k-1]
		if _, _, _, open := brackets(lines[:k]); open {
			continue
		}
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			return k
		}
	}
	return from
}

// notUTF8 finds the first byte that is not part of a character in UTF-8.
func notUTF8(lines []string) (line, col int, ok bool) {
	return firstCharacter(lines, func(c rune, size int) bool { return c == utf8.RuneError && size == 1 })
}

// controlCharacter returns the line and column, both from 1, of the first control character that YAML does not allow. A
// damaged file may have NUL bytes, for example. ok is false if the lines have no such character.
func controlCharacter(lines []string) (line, col int, ok bool) {
	return firstCharacter(lines, func(c rune, _ int) bool { return c < ' ' && c != '\t' && c != '\r' || c == 0x7f })
}

// firstCharacter returns the line and column, both from 1, of the first character for which is reports true. is gets the
// character and its length in bytes, as [utf8.DecodeRuneInString] returns them. ok is false if is reports true for no character.
func firstCharacter(lines []string, is func(c rune, size int) bool) (line, col int, ok bool) {
	for i, l := range lines {
		col := 0
		for j := range l {
			col++
			if is(utf8.DecodeRuneInString(l[j:])) {
				return i + 1, col, true
			}
		}
	}
	return 0, 0, false
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
	var open openBrackets
	for i, l := range lines {
		col, problem, quoted := open.follow(i+1, []rune(l))
		if quoted {
			return 0, 0, "", false
		}
		if problem != "" {
			return i + 1, col, problem, true
		}
	}
	if len(open) == 0 {
		return 0, 0, "", false
	}
	last := open[len(open)-1]
	return last.line, last.col, fmt.Sprintf("%q is never closed", last.closer-2), true
}

// openBrackets are brackets that wait for their partners, the innermost last.
type openBrackets []opened

// follow opens and closes the brackets of a line. It stops at one that closes another kind of bracket than is open, and
// reports whether the line ends in a quoted text.
func (open *openBrackets) follow(line int, text []rune) (col int, problem string, quoted bool) {
	var quote, previous rune
	for j, c := range text {
		switch {
		case quote != 0:
			if c == quote && previous != '\\' {
				quote = 0
			}
		case c == '#' && (previous == 0 || previous == ' ' || previous == '\t'):
			return 0, "", false
		case (c == '"' || c == '\'') && strings.ContainsRune("\x00 ,:[{", previous):
			quote = c
		case c == '[' || c == '{':
			if len(*open) > 0 || previous == 0 || previous == ' ' {
				*open = append(*open, opened{c + 2, line, j + 1}) // ] and } follow [ and { by two
			}
		case (c == ']' || c == '}') && len(*open) > 0:
			last := (*open)[len(*open)-1]
			if last.closer != c {
				return j + 1, fmt.Sprintf("%q closes the %q of line %d", c, last.closer-2, last.line), false
			}
			*open = (*open)[:len(*open)-1]
		}
		previous = c
	}
	return 0, "", quote != 0
}
