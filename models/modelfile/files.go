package modelfile

import (
	"bytes"
	"unicode/utf8"

	"github.com/partwise/partwise/models/modelfile/internal/tree"
)

type (
	// Error is one mistake in a file. Its fields are File, Line and Column (from 1; 0 where there is none), Path (the field of the
	// file), Problem and Remedy. Its method Excerpt returns the line with a mark below the column.
	Error = tree.Error
	// Errors is a []*Error: the mistakes of a file and of those it names, in the order of the text.
	Errors = tree.Errors
	// Set is a setting that replaces the value at a path of a file. Its fields are Path, Value (YAML; null removes the key) and Flag
	// (as it was written on the command line; --set PATH=VALUE if empty).
	Set = tree.Set
)

// ErrTooLarge says that a file has more than 8 MiB: models, studies and distributions are no larger.
var ErrTooLarge = tree.ErrTooLarge

// ReadFile reads a file of at most 8 MiB; the error is an *[io/fs.PathError], of [ErrTooLarge] for a larger file.
func ReadFile(path string) ([]byte, error) { return tree.ReadFile(path) }

// IsBinary reports whether the beginning of a file is not a text. YAML may be written in UTF-8 or UTF-16; a file with a
// byte order mark of UTF-16 is a text. A binary file has zero bytes and bytes that are not in UTF-8. Together they are
// at least one byte in twenty. A file with fewer wrong bytes is a text, so that its reader can name the first wrong
// byte.
func IsBinary(text []byte) bool {
	isUTF16 := bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff})
	zeros, wrong := bytes.Count(text, []byte{0}), 0
	for rest := text; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			wrong++
		}
		rest = rest[size:]
	}
	return zeros > 0 && wrong > 0 && !isUTF16 && 20*(zeros+wrong) >= len(text)
}
