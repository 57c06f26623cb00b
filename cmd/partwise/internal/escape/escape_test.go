package escape_test

import (
	"encoding/xml"
	"html"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/cmd/partwise/internal/escape"
	_ "github.com/partwise/partwise/validate/draws"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct {
		of         func(string) string
		text, want string
	}{
		{escape.Visible, "a\x1b[31mred\nb\tc", `a\x1b[31mred` + "\nb\tc"},
		{escape.Line, "a\nb\tc\r", `a\nb\tc\x0d`},
		{escape.Line, "left\u202etfel \u2066x\u2069 \ufeff", `left\u202etfel \u2066x\u2069 \ufeff`},
		{escape.Line, "\xff\u2028\ufffe", `\xff\u2028\ufffe`},
		{escape.Line, "Größe ½, 中文, نمی\u200cخواهم", "Größe ½, 中文, نمی\u200cخواهم"},
		{escape.JSON, "\"é\\u001b \u202e\u0085 \U000e0001\"", `"é\u001b \u202e\u0085 \udb40\udc01"`},
		{escape.Markdown, "# <script>", "# &lt;script>"},
		{escape.Markdown, "[x](javascript:y) `a` *b* _c_ a|b &lt;", "[x]\\(javascript:y) \\`a\\` \\*b\\* \\_c\\_ a\\|b &amp;lt;"},
		{escape.Cell, "=1+1", "'=1+1"}, {escape.Cell, "+cmd", "'+cmd"}, {escape.Cell, "@x", "'@x"}, {escape.Cell, "-x", "'-x"},
		{escape.Cell, "-1.5e-7", "-1.5e-7"}, {escape.Cell, "+3", "+3"}, {escape.Cell, "-1+1", "'-1+1"}, {escape.Cell, "a=b", "a=b"},
		{escape.Cell, "-", "'-"}, {escape.Cell, "--1", "'--1"}, {escape.Cell, "-2-3", "'-2-3"}, {escape.Cell, "", ""},
		{escape.Cell, "＝1+1", "'＝1+1"}, {escape.Cell, " =1+1", "' =1+1"}, {escape.Cell, "\u00a0＠x", "'\u00a0＠x"},
		{escape.Cell, " x", " x"}, {escape.Cell, "\tx", "'\tx"}, {escape.Cell, " ", " "},
	} {
		if got := c.of(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

// What is left of any text does nothing in a terminal, and is well-formed in XML.
func TestNothingIsHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		line := escape.Line(text)
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\t\x1b\x00\u202e\u2066") {
			t.Fatalf("%q becomes %q", text, line)
		}
		if escape.Line(line) != line {
			t.Fatalf("%q changes once more", line)
		}
		d := xml.NewDecoder(strings.NewReader("<text>" + html.EscapeString(line) + "</text>"))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
	})
}
