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

var quantileLevels = []float64{0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999}

// fact is a number about a distribution.
type fact struct {
	Name  string
	Value float64
	Unit  string
}

// text returns the number for people; that of the phases is whole.
func (f *fact) text() string {
	if f.Name == "phases" {
		return words.Shortest(f.Value)
	}
	return words.Round(f.Value, 5)
}

// notDistribution returns the error of a file that was read as a distribution. If the file is a model, the error says so.
func notDistribution(path string, err error) error {
	var found modelfile.Errors
	isModel := func(e *modelfile.Error) bool { return e.Path == "machine" }
	if errors.As(err, &found) && slices.ContainsFunc(found, isModel) {
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
	d, unit := file.Dist, file.TimeUnit.Name
	isProcess := file.MAP.Phases() > 0
	if isProcess {
		d = file.MAP.Interarrival() // with the phases of the process
	}
	facts := []fact{{"phases", float64(d.Phases()), ""}}
	if isProcess {
		facts = append(facts, fact{"rate", file.MAP.Rate(), "1/" + unit})
	}
	law := phasetype.NewLaw(d).WithContext(inv.Context)
	facts = append(facts, describe(d, law, unit)...)
	if isProcess {
		for lag := 1; lag <= 3; lag++ {
			facts = append(facts, fact{fmt.Sprintf("correlation_%d", lag), file.MAP.LagCorrelation(lag), ""})
		}
		facts = append(facts, fact{"dispersion", file.MAP.Dispersion(), ""})
	}
	r := &output.Result{Object: output.Pairs("version", output.Version, "kind", file.Kind, output.TimeUnit, unit)}
	for _, f := range facts {
		r.Add(f.Name, f.Value)
	}
	r.List(output.NewList("", inv.Args[0], output.Wide, facts, func(f *fact) output.Row {
		return output.Row{output.Col("measure", "measure").Is(f.Name), output.Data("value", f.Value),
			output.InTable("value").Right().Is(f.text()), output.InTable("unit").Is(f.Unit)}
	}))
	if inv.Format != "markdown" { // a sketch needs letters of one width
		r.Notes = sketch(law, unit)
	}
	if err := inv.Context.Err(); err != nil {
		return err
	}
	return inv.Emit(r)
}

// describe returns moments and quantiles of a time, in powers of its unit.
func describe(d phasetype.Dist, law *phasetype.Law, unit string) []fact {
	facts := []fact{
		{"mean", d.Mean(), unit},
		{"standard_deviation", math.Sqrt(d.Variance()), unit},
		{"scv", d.SCV(), ""},
		{"skewness", d.Skewness(), ""},
		{"moment_2", d.Moment(2), unit + "^2"},
		{"moment_3", d.Moment(3), unit + "^3"},
	}
	if d.Atom() > 0 {
		facts = append(facts, fact{"probability_zero", d.Atom(), ""})
	}
	for _, p := range quantileLevels {
		facts = append(facts, fact{"quantile_" + words.Shortest(p), law.Quantile(p), unit})
	}
	return facts
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
