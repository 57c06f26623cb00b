package output

import (
	"cmp"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether people read at the other end of a stream.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// isPlain reports whether the environment asks for no bold letters on terminals.
func isPlain() bool { return os.Getenv("NO_COLOR") != "" || IsDumb() }

// IsDumb reports whether terminals cannot draw a line anew.
func IsDumb() bool { return os.Getenv("TERM") == "dumb" }

// usualColumns is the width of a stream that is no terminal.
const usualColumns = 80

// Columns returns the width of a terminal in columns, or the usual width for any other stream.
func Columns(stream any) int {
	f, ok := stream.(*os.File)
	if !ok {
		return usualColumns
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return usualColumns
	}
	return cmp.Or(width, usualColumns)
}

// The bounds of the width of sentences, in columns.
const (
	narrowestPage = 60
	widestPage    = 100
)

// PageWidth returns how wide sentences are that a stream gets: as wide as the terminal, but neither too narrow nor too wide to
// be read.
func PageWidth(stream any) int { return min(max(Columns(stream), narrowestPage), widestPage) }
