package cli

import (
	"io"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// pictureEndings are the endings of the files that pictures can be drawn to, for people.
var pictureEndings = "." + strings.Join(chart.Formats, ", .")

// PlotFlag is --plot of a command that draws what it found; [Invocation.Picture] reads it.
func PlotFlag(what string) urfave.Flag { return PictureFlag("plot", "draw "+what) }

// PictureFlag is a flag that names the file of a picture; [Invocation.Picture] reads it.
func PictureFlag(name, usage string) urfave.Flag { return pictureFlag(new(Picture), name, usage).Flag }

// Plot binds --plot of a command that draws what it found.
func Plot(to *Picture, what string) Flag { return pictureFlag(to, "plot", "draw "+what) }

func pictureFlag(to *Picture, name, usage string) Flag {
	f := &urfave.StringFlag{Name: name, TakesFile: true, Usage: usage + " to `FILE` (" + pictureEndings + ")"}
	return Flag{f, func(inv *Invocation) (err error) {
		*to, err = inv.Picture(name)
		return err
	}}
}

// drawable is what package chart draws.
type drawable interface {
	Write(w io.Writer, format string) error
}

// Picture is the file that a flag asks to draw to; the zero value asks for none.
type Picture struct{ file, format string }

// Picture reads a flag before any work is done.
func (inv *Invocation) Picture(flag string) (Picture, error) {
	file := inv.Flags.String(flag)
	if file == "" {
		return Picture{}, nil
	}
	format, err := chart.Format(file)
	if err != nil {
		return Picture{}, Usagef("for example --"+flag+" "+inv.Command+".svg", "--%s: %q does not end in %s",
			flag, file, pictureEndings)
	}
	return Picture{file, format}, output.Check(file)
}

// Wanted reports whether the flag was given.
func (p Picture) Wanted() bool { return p.file != "" }

// Draw writes the picture, if it is wanted.
func (inv *Invocation) Draw(p Picture, d drawable) error {
	if !p.Wanted() {
		return nil
	}
	if err := output.WriteFile(p.file, func(w io.Writer) error { return d.Write(w, p.format) }); err != nil {
		return err
	}
	inv.Notef("wrote %s", p.file)
	return nil
}
