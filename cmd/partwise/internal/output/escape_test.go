package output_test

import (
	"encoding/xml"
	"html"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	_ "github.com/partwise/partwise/testdata/phtest"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct {
		of         func(string) string
		text, want string
	}{
		{output.Visible, "a\x1b[31mred\nb\tc", `a\x1b[31mred` + "\nb\tc"},
		{output.Line, "a\nb\tc\r", `a\nb\tc\r`},
		{output.Line, "left\u202etfel \u2066x\u2069 \ufeff", `left\u202etfel \u2066x\u2069 \ufeff`},
		{output.Line, "\xff\u2028\ufffe", `\xff\u2028\ufffe`},
		{output.Line, "Größe ½, 中文, نمی\u200cخواهم", "Größe ½, 中文, نمی\u200cخواهم"},
		{output.JSON, "\"é\\u001b \u202e\u0085 \U000e0001\"", `"é\u001b \u202e\u0085 \udb40\udc01"`},
		{output.Markdown, "# <script>", "# &lt;script>"},
		{output.Markdown, "[x](javascript:y) `a` *b* _c_ a|b &lt;", "[x]\\(javascript:y) \\`a\\` \\*b\\* \\_c\\_ a\\|b &amp;lt;"},
		{output.Guarded, "=1+1", "'=1+1"}, {output.Guarded, "+cmd", "'+cmd"}, {output.Guarded, "@x", "'@x"}, {output.Guarded, "-x", "'-x"},
		{output.Guarded, "-1.5e-7", "-1.5e-7"}, {output.Guarded, "+3", "+3"}, {output.Guarded, "-1+1", "'-1+1"}, {output.Guarded, "a=b", "a=b"},
		{output.Guarded, "-", "'-"}, {output.Guarded, "--1", "'--1"}, {output.Guarded, "-2-3", "'-2-3"}, {output.Guarded, "", ""},
		{output.Guarded, "＝1+1", "'＝1+1"}, {output.Guarded, " =1+1", "' =1+1"}, {output.Guarded, "\u00a0＠x", "'\u00a0＠x"},
		{output.Guarded, " x", " x"}, {output.Guarded, "\tx", "'\tx"}, {output.Guarded, " ", " "},
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
		line := output.Line(text)
		if !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\t\x1b\x00\u202e\u2066") {
			t.Fatalf("%q becomes %q", text, line)
		}
		if output.Line(line) != line {
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
