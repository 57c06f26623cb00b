package output_test

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

func Example_escape() {
	title := "# <b>\x1b[31m\u202e"
	fmt.Println(output.Line(title))
	fmt.Println(output.Markdown(title))
	fmt.Println(output.Guarded("=HYPERLINK(1)"), output.Guarded("-1.5"))
	// Output:
	// # <b>\x1b[31m\u202e
	// # &lt;b>\\x1b[31m\\u202e
	// '=HYPERLINK(1) -1.5
}
