package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
)

// pictureEndings are the endings of the files that pictures can be drawn to, for people.
var pictureEndings = "." + strings.Join(chart.Formats, ", .")

// plotFlag is --plot of a command that draws what it found.
func plotFlag(what string) cli.Flag { return pictureFlag("plot", "draw "+what) }

func pictureFlag(name, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, TakesFile: true, Usage: usage + " to `FILE` (" + pictureEndings + ")"}
}

// drawable is what package chart draws.
type drawable interface {
	Write(w io.Writer, format string) error
}

// picture is the file that a flag asks to draw to; the zero value asks for none.
type picture struct{ file, format string }

// picture reads a flag before any work is done.
func (inv *invocation) picture(flag string) (picture, error) {
	file := inv.flags.String(flag)
	if file == "" {
		return picture{}, nil
	}
	format, err := chart.Format(file)
	if err != nil {
		return picture{}, usage("for example --"+flag+" "+inv.flags.Command.Name+".svg", "--%s: %q does not end in %s", flag, file,
			pictureEndings)
	}
	return picture{file, format}, output.Check(file)
}

func (p picture) wanted() bool { return p.file != "" }

// draw writes the picture, if it is wanted.
func (inv *invocation) draw(p picture, d drawable) error {
	if !p.wanted() {
		return nil
	}
	if err := output.WriteFile(p.file, func(w io.Writer) error { return d.Write(w, p.format) }); err != nil {
		return err
	}
	inv.note("wrote %s", p.file)
	return nil
}
