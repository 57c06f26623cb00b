package fitcmd

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/fault"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/phasetype"
)

//go:embed show.txt
var showHelp string

// PH is the family of commands about fitted distributions.
func PH() cli.Command {
	return cli.Command{
		Name:      "ph",
		Summary:   "look at fitted distributions",
		Arguments: "show FILE",
		Details:   "Commands about the files that fit writes.",
		Parts: []cli.Command{cli.Described(showHelp, cli.Command{
			Formats: []string{"json", "csv", "markdown", "table"},
			Run:     phShow,
		})},
	}
}

// factText returns the number of a fact for people; that of the phases is whole.
func factText(f *modelfile.Fact) string {
	if f.Name == "phases" {
		return words.Shortest(f.Value)
	}
	return words.Round(f.Value, 5)
}

// notDistribution returns the error of a file that was read as a distribution. If the file is a model, the error says so.
func notDistribution(path string, err error) error {
	var found modelfile.Errors
	if errors.As(err, &found) && found.Concern("machine") {
		return fault.Hint(fault.ExitInput, "partwise solve and partwise check read models",
			fmt.Errorf("%s: not a fitted distribution, but a model file", path))
	}
	return err
}

// phShow writes what is known of the distribution or arrival process in a file: phases, moments, quantiles and, for people,
// a sketch.
func phShow(inv *cli.Invocation) error {
	file, err := modelfile.LoadDistribution(inv.Args[0])
	if err != nil {
		return notDistribution(inv.Args[0], err)
	}
	unit, law := file.TimeUnit.Name, file.Law(inv.Context)
	facts := file.Facts(law)
	r := &output.Result{Object: output.Pairs("version", output.Version, "kind", file.Kind, output.TimeUnit, unit)}
	for _, f := range facts {
		r.Add(f.Name, f.Value)
	}
	r.List(output.NewList("", inv.Args[0], output.Wide, facts, func(f *modelfile.Fact) output.Row {
		return output.Row{output.Col("measure", "measure").Is(f.Name), output.Data("value", f.Value),
			output.InTable("value").Right().Is(factText(f)), output.InTable("unit").Is(f.Unit)}
	}))
	if inv.Format != "markdown" { // a sketch needs letters of one width
		r.Notes = sketch(law, unit)
	}
	if err := inv.Context.Err(); err != nil {
		return err
	}
	return inv.Emit(r)
}

// sketch draws density and distribution function with the blocks that every terminal font has, from 0 to the 99 %
// quantile.
func sketch(law *phasetype.Law, unit string) []string {
	const columns = 60
	end := law.Quantile(0.99)
	density, distribution := make([]float64, columns), make([]float64, columns)
	for i := range columns {
		x := (float64(i) + 0.5) / columns * end
		density[i], distribution[i] = law.PDF(x), law.CDF(x)
	}
	axis := fmt.Sprintf("       0%*s", columns-1, words.Round(end, 3)+" "+unit)
	return []string{strings.TrimRight("pdf    "+blocks(density), " "), "cdf    " + blocks(distribution), axis}
}

// blocks draws values, which are not negative, by blocks of their heights.
func blocks(v []float64) string {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	top := max(slices.Max(v), math.SmallestNonzeroFloat64)
	var b strings.Builder
	for _, x := range v {
		b.WriteRune(levels[int(math.Round(x/top*float64(len(levels)-1)))])
	}
	return b.String()
}
