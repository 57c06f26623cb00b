package chart

import (
	"io"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// Picture is the file that a flag asks to draw to, and the kind of the picture. The zero value asks for no picture.
type Picture struct{ File, Format string }

// NewPicture returns the picture of a file, whose name ends in one of the [Formats].
func NewPicture(file string) (Picture, error) {
	format, err := Format(file)
	return Picture{file, format}, err
}

// Wanted reports whether a flag asks for the picture.
func (p Picture) Wanted() bool { return p.File != "" }

// Write draws a figure to the file, whole or not at all.
func (p Picture) Write(f *Figure) error {
	return output.WriteFile(p.File, func(w io.Writer) error { return Write(w, f, p.Format) })
}
