package escape_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/escape"
)

func Example() {
	title := "# <b>\x1b[31m\u202e"
	fmt.Println(escape.Line(title))
	fmt.Println(escape.Markdown(title))
	fmt.Println(escape.Cell("=HYPERLINK(1)"), escape.Cell("-1.5"))
	// Output:
	// # <b>\x1b[31m\u202e
	// # &lt;b>\\x1b[31m\\u202e
	// '=HYPERLINK(1) -1.5
}
