package logtext

import "bytes"

// Columns describes how the lines of a table are divided into fields: by separators, or by the places that a line of dashes marks
// under the names of the columns.
type Columns struct {
	Separator byte
	Quoted    bool // fields may stand in quotation marks, and then hold separators
	places    []place
}

// place is where a column begins and ends in a line.
type place struct{ from, to int }

// MarkedColumns returns the columns that a line of dashes and blanks marks: each group of dashes marks the place of a column. ok
// is false if the line has other characters, or if it marks fewer than two columns.
func MarkedColumns(rule []byte) (c Columns, ok bool) {
	if len(bytes.Trim(rule, "- ")) > 0 {
		return c, false
	}
	for at := 0; at < len(rule); at++ {
		from := at
		for at < len(rule) && rule[at] == '-' {
			at++
		}
		if at > from {
			c.places = append(c.places, place{from, at})
		}
	}
	return c, len(c.places) > 1
}

// Separators are the characters that may stand between the columns of tables.
const Separators = "|,;\t^~%@!#&$\x01\x1f"

// SeparatedBy returns columns that a separator divides. Fields may stand in quotation marks, unless the separator is the bar of
// sacct's own tables and first, the first line of the table, has no quotation marks.
func SeparatedBy(separator byte, first []byte) Columns {
	return Columns{Separator: separator, Quoted: separator != '|' || bytes.HasPrefix(first, []byte{'"'})}
}

// AreMarked reports whether the columns stand in marked places.
func (c *Columns) AreMarked() bool { return c.places != nil }

// Split appends the fields of a line to fields. It appends nothing if the line has text between the marked places.
func (c *Columns) Split(fields [][]byte, line []byte) [][]byte {
	if c.places != nil {
		return c.cut(fields, line)
	}
	quoted, separator := c.Quoted, c.Separator
	for {
		if quoted && len(line) > 0 && line[0] == '"' {
			end := closing(line)
			if end+1 < len(line) && line[end+1] == separator {
				fields, line = append(fields, line[1:end]), line[end+2:]
				continue
			}
			if end+1 == len(line) {
				return append(fields, line[1:end])
			}
		}
		i := bytes.IndexByte(line, separator)
		if i < 0 {
			return append(fields, line)
		}
		fields, line = append(fields, line[:i]), line[i+1:]
	}
}

// closing returns the index of the quotation mark that closes a field. The line begins with the opening mark; doubled marks
// within the field do not close it. The result is the length of the line if no mark closes the field.
func closing(line []byte) (end int) {
	for end = 1; end < len(line) && (line[end] != '"' || end+1 < len(line) && line[end+1] == '"'); end++ {
		if line[end] == '"' {
			end++
		}
	}
	return min(end, len(line))
}

// cut appends the texts in the marked places of a line to fields, without the blanks around them. It appends nothing if the line
// has text between the places.
func (c *Columns) cut(fields [][]byte, line []byte) [][]byte {
	had, at := len(fields), 0
	for _, p := range c.places {
		if len(bytes.TrimSpace(line[min(at, len(line)):min(p.from, len(line))])) > 0 {
			return fields[:had]
		}
		fields = append(fields, bytes.TrimSpace(line[min(p.from, len(line)):min(p.to, len(line))]))
		at = p.to
	}
	if len(bytes.TrimSpace(line[min(at, len(line)):])) > 0 {
		return fields[:had]
	}
	return fields
}

// IsOpen reports whether the last field of a line goes on in the next line: it begins with a quotation mark that nothing closes.
func (c *Columns) IsOpen(line []byte) bool {
	for c.Quoted && bytes.IndexByte(line, '"') >= 0 {
		next := 0
		if line[0] == '"' {
			next = closing(line) + 1
		}
		if next > len(line) {
			return true
		}
		if next == 0 || next < len(line) && line[next] != c.Separator {
			next = bytes.IndexByte(line, c.Separator)
		}
		if next < 0 || next == len(line) {
			return false
		}
		line = line[next+1:]
	}
	return false
}
