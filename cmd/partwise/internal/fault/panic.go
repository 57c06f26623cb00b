package fault

import (
	"fmt"
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// issues is where mistakes of the program are reported.
const issues = "https://github.com/partwise/partwise/issues"

// Panic prints a mistake of the program with its stack, and returns the exit code.
func Panic(stderr io.Writer, what any, stack []byte) int {
	fmt.Fprintf(stderr, "error: internal error: %s\nhint: this is a mistake of partwise: please report it at %s, with the command "+
		"line, its files and all of this\n%s", output.Visible(fmt.Sprint(what)), issues, stack)
	return ExitFailure
}
