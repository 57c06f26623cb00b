package modelfile

import "github.com/partwise/partwise/models/modelfile/internal/tree"

// The mistakes of files, and the settings that replace values of files.
type (
	Error  = tree.Error
	Errors = tree.Errors
	Set    = tree.Set
)

// ErrTooLarge says that a file has more than 8 MiB: models, studies and distributions are no larger.
var ErrTooLarge = tree.ErrTooLarge

// ReadFile reads a file of at most 8 MiB; the error is an *[io/fs.PathError], of [ErrTooLarge] for a larger file.
func ReadFile(path string) ([]byte, error) { return tree.ReadFile(path) }

// Suggest returns a question after the word of known that is nearest to a misspelt one, or "".
func Suggest(word string, known []string) string { return tree.Suggest(word, known) }

// Nearest returns the word of known that is nearest to a misspelt one, if one is near.
func Nearest(word string, known []string) (string, bool) { return tree.Nearest(word, known) }

// Alternatives returns "a, b or c".
func Alternatives(words []string) string { return tree.Alternatives(words) }

// Texts returns the texts of all values.
func Texts[T any](all []T, text func(T) string) []string { return tree.Texts(all, text) }

// Short returns the shortest decimal text of a number that reads back to the same number.
func Short(v float64) string { return tree.Short(v) }

// Count returns "1 one" or "n many".
func Count(n int, one, many string) string { return tree.Count(n, one, many) }
