package modelfile

import "github.com/partwise/partwise/models/modelfile/internal/tree"

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
