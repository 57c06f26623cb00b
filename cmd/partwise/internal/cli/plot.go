package cli

import (
	"io"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// pictureEndings are the endings of the files that pictures can be drawn to, for people.
var pictureEndings = "." + strings.Join(chart.Formats, ", .")

// Plot binds --plot of a command that draws what it found.
func Plot(to *Picture, what string) Flag { return PictureFile(to, "plot", what) }

// PictureFile binds a flag that names the file to draw something to. It is read before any work is done, which would be
// in vain if the file could not be written.
func PictureFile(to *Picture, name, what string) Flag {
	about := About{File: true, Usage: "draw " + what + " to `FILE` (" + pictureEndings + ")"}
	return Text(&to.file, name, about).Then(func(inv *Invocation) (err error) {
		if !to.Wanted() {
			return nil
		}
		if to.format, err = chart.Format(to.file); err != nil {
			return Usagef("for example --"+name+" "+inv.Command+".svg", "--%s: %q does not end in %s", name, to.file,
				pictureEndings)
		}
		return inv.writes(name, to.file)
	})
}

// Picture is the file that a flag asks to draw to; the zero value asks for none.
type Picture struct{ file, format string }

// Wanted reports whether the flag was given.
func (p Picture) Wanted() bool { return p.file != "" }

// Draw writes the picture, if it is wanted.
func (inv *Invocation) Draw(p Picture, f *chart.Figure) error {
	if !p.Wanted() {
		return nil
	}
	if err := output.WriteFile(p.file, func(w io.Writer) error { return chart.Write(w, f, p.format) }); err != nil {
		return err
	}
	inv.Notef("wrote %s", p.file)
	return nil
}
