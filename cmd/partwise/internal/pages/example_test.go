package pages_test

import (
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"github.com/partwise/partwise/cmd/partwise/internal/pages"
)

// The page of a command on a terminal of 60 columns. The word of a flag that is wider than a third of the terminal has its meaning
// on the next line.
func Example() {
	page := pages.Command{Examples: []string{"app draw plan.svg"}, Formats: []string{"svg", "png"}, Command: &urfave.Command{
		HelpName: "app draw", Usage: "draw a plan", ArgsUsage: "FILE", Description: "Draws a plan to scale.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "round", Usage: "round the corners of everything that is drawn"},
			&urfave.StringFlag{Name: "colours-of-walls", Usage: "draw walls in `COLOURS`", DefaultText: "black"},
		}}}.Page()
	fmt.Print(page.Text(60))
	// Output:
	// app draw - draw a plan
	//
	// Usage:
	//   app draw FILE [flags]
	//
	// Draws a plan to scale.
	//
	// Flags:
	//   --colours-of-walls COLOURS
	//            draw walls in COLOURS (default: black)
	//   --round  round the corners of everything that is drawn
	//
	// Examples:
	//   app draw plan.svg
	//
	// --format: svg or png. Flags of every command: partwise help.
}
