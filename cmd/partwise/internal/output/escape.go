// This file prepares text for where it goes: a terminal, Markdown, a picture, a page, a spreadsheet. Names and titles
// come from files that others have written.
//
//	text of a file → Visible, Line → terminal | SVG, HTML (whose writers escape their own marks)
//	                 Line → Markdown → tables, titles
//	                 Guarded → spreadsheet

package output

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/partwise/partwise/models/measure"
)

// Visible returns text in which characters that change what follows are written out, as \x1b or \u202e, so that they do nothing.
// Such are control characters, but for ends of lines and tabs, and characters that change the direction of a text.
func Visible(text string) string { return written(text, "\n\t") }

// Line returns text as Visible does, with ends of lines and tabs written out, too.
func Line(text string) string { return written(text, "") }

// written returns a text in which hidden characters are written out, such as \x1b, unless kept holds them.
func written(text, kept string) string {
	harmless := func(r rune) bool { return !hidden(r) || strings.ContainsRune(kept, r) }
	return rewritten(text, harmless, func(letter string) string { return strings.Trim(strconv.QuoteToASCII(letter), `"`) })
}

// rewritten returns text in which another text stands for each letter that is not harmless or not valid.
func rewritten(text string, harmless func(rune) bool, instead func(letter string) string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !harmless(r) }) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		letter := text[:size]
		if !harmless(r) || !utf8.ValidString(letter) {
			letter = instead(letter)
		}
		b.WriteString(letter)
		text = text[size:]
	}
	return b.String()
}

// hidden reports whether a character does something that is not seen, or is no character. Control and format characters and
// separators of lines are hidden; those that join letters and hyphenate words are not.
func hidden(r rune) bool {
	const nonJoiner, joiner, softHyphen = 0x200c, 0x200d, 0xad
	return !unicode.IsGraphic(r) && r != nonJoiner && r != joiner && r != softHyphen
}

// JSON writes characters that Visible would write out as JSON has them, so that the text means the same.
func JSON(text string) string {
	harmless := func(r rune) bool { return r < utf8.RuneSelf || !hidden(r) }
	return rewritten(text, harmless, func(letter string) (escapes string) {
		for _, unit := range utf16.Encode([]rune(letter)) {
			escapes += fmt.Sprintf(`\u%04x`, unit)
		}
		return escapes
	})
}

var marks = strings.NewReplacer(`\`, `\\`, "|", `\|`, "*", `\*`, "<", "&lt;", "&", "&amp;", "_", `\_`, "`", "\\`", "](", `]\(`,
	"][", `]\[`)

// Markdown keeps a line of text from being taken for Markdown.
func Markdown(text string) string { return marks.Replace(Line(text)) }

// Guarded keeps a spreadsheet from taking text for a formula: such text gets an apostrophe in front, unless it is a number. A
// formula begins with =, +, - or @, also full-width, after any blank characters, or with a tab or the end of a line.
func Guarded(text string) string {
	if text == "" || measure.IsDecimal(text) || text == "-Inf" || text == "+Inf" {
		return text
	}
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace))
	if strings.ContainsRune("=+-@＝＋－＠", first) || strings.ContainsRune("\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}
