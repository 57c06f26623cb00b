package input

import (
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/chart"
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
)

// pictureEndings are the endings of the files that pictures can be drawn to, for people.
var pictureEndings = "." + strings.Join(chart.Formats, ", .")

// Plot binds --plot of a command that draws what it found.
func Plot(to *chart.Picture, what string) cli.Flag { return PictureFile(to, "plot", what) }

// PictureFile binds a flag that names the file to draw something to. A file that cannot be written is an error before any work
// is done.
func PictureFile(to *chart.Picture, name, what string) cli.Flag {
	about := cli.About{File: true, Usage: "draw " + what + " to `FILE` (" + pictureEndings + ")"}
	var file string
	return cli.Then(cli.Text(&file, name, about), func(inv *cli.Invocation) (err error) {
		if file == "" {
			return nil
		}
		if *to, err = chart.NewPicture(file); err != nil {
			return fault.Usagef("for example --"+name+" "+inv.Command+".svg", "--%s: %q does not end in %s", name, file,
				pictureEndings)
		}
		return inv.Writes(name, file)
	})
}

// Draw writes the picture of a figure, if it is wanted, and tells the user its file.
func Draw(inv *cli.Invocation, p chart.Picture, f *chart.Figure) error {
	if !p.Wanted() {
		return nil
	}
	if err := p.Write(f); err != nil {
		return err
	}
	inv.Notef("wrote %s", p.File)
	return nil
}
