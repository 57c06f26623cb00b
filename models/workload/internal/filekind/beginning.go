package filekind

import (
	"bytes"
	"iter"
	"slices"

	"github.com/partwise/partwise/models/workload/internal/logtext"
)

// Beginning is the beginning of a file, by which its format is recognised.
type Beginning struct {
	Text []byte // without blanks in front
	Rest []byte // Text without messages and comments in front of it
	Line []byte // the first line of Rest
	// Table is Rest with the blanks in front of its first line, which tell where the columns of a padded table begin.
	Table []byte
}

// Begin returns the beginning of a file from its first bytes.
func Begin(text []byte) *Beginning {
	b := &Beginning{Text: bytes.TrimLeft(text, " \t\r\n")}
	b.Rest = b.Text
	for len(b.Rest) > 0 {
		line, rest, _ := bytes.Cut(b.Rest, []byte("\n"))
		if len(bytes.TrimSpace(line)) > 0 && !logtext.IsMessage(line) {
			b.Line = bytes.TrimRight(line, "\r")
			break
		}
		b.Rest = rest
	}
	b.Table = b.Rest
	if from := len(text) - len(b.Text); len(b.Rest) == len(b.Text) {
		b.Table = text[len(bytes.TrimRight(text[:from], " \t")):]
	}
	return b
}

// Later returns the beginnings that a text would have without its first lines, with the lines, counted from 1, in which they
// stand. It leaves out messages, and JSON behind lines with brackets, which may be a part of other JSON.
func Later(text []byte) iter.Seq2[int, *Beginning] {
	return func(yield func(int, *Beginning) bool) {
		hasBrackets := false
		for number := 2; ; number++ {
			line, rest, more := bytes.Cut(text, []byte("\n"))
			if !more {
				return
			}
			text, hasBrackets = rest, hasBrackets || bytes.ContainsAny(line, "{[")
			first, _, _ := bytes.Cut(text, []byte("\n"))
			b := Begin(text)
			if len(bytes.TrimSpace(first)) > 0 && !logtext.IsMessage(first) && !(b.IsJSON() && hasBrackets) && !yield(number, b) {
				return
			}
		}
	}
}

// IsJSON reports whether the text begins as JSON does.
func (b *Beginning) IsJSON() bool { return beginsJSON(b.Text) }

// jsonBegins matches the beginning of an object, or of an array of objects, arrays, texts or numbers. It does not match the
// prompt of a shell such as [u@login ~]$.
var jsonBegins = logtext.NewPattern(`\A[{[]\s*(["{}\[\]0-9-]|\z)`)

func beginsJSON(text []byte) bool { return jsonBegins().Match(text) }

// Has reports whether the text has a key of JSON: its name in quotation marks before a colon.
func (b *Beginning) Has(key string) bool {
	name := []byte(`"` + key + `"`)
	for rest := b.Text; ; {
		i := bytes.Index(rest, name)
		if i < 0 {
			return false
		}
		if rest = rest[i+len(name):]; bytes.HasPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":")) {
			return true
		}
	}
}

// HasAny reports whether the text has one of some keys.
func (b *Beginning) HasAny(keys ...string) bool { return slices.ContainsFunc(keys, b.Has) }

// QuotesAny reports whether one of some words stands in quotation marks in the text.
func (b *Beginning) QuotesAny(words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return bytes.Contains(b.Text, []byte(`"`+word+`"`)) })
}
