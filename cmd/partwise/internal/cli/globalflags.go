package cli

import (
	"fmt"

	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/markov"
	"github.com/partwise/partwise/markov/parallel"
)

// globals are what the flags of every command say.
type globals struct {
	format, output string
	quiet          bool
	wide           bool // tables
	workers        int  // 0: one per processor
	memory         *markov.Memory
}

// outputFlag and formatFlag are the names of the flags that say where, and in which format, the result is written.
const outputFlag, formatFlag = "output", "format"

// outputHint is the remedy for an empty name.
const outputHint = "for example --output result.json"

// Flags binds the flags.
func (g *globals) Flags() []Flag {
	return []Flag{
		Text(&g.format, formatFlag, About{Usage: "write the result as `FORMAT`: table, json, csv or markdown",
			Words: []string{"table", "json", "csv", "markdown"}, Default: "table on a terminal, otherwise json, of curves csv"}),
		Text(&g.output, outputFlag, About{Letter: "o", File: true, Hint: outputHint,
			Usage: "write to `FILE`, whole or not at all, instead of standard output"}),
		Switch(&g.quiet, "quiet", "print no progress, notes or warnings", "q"),
		Switch(&g.wide, "wide", "show all columns of tables, without line breaks, however wide that is"),
		Int(&g.workers, "workers", values.PositiveInt, About{Default: "one per processor", Hint: "for example --workers 2",
			Usage: "run `N` calculations at a time; the results do not depend on it"}),
		Value(&g.memory, "memory", values.Memory, About{Hint: "for example --memory 8GiB",
			Default: fmt.Sprintf("%dGiB", parallel.DefaultMemory>>30),
			Usage:   "refuse chains, fits and logs that need more memory than `SIZE`, all calculations together"}),
	}
}

// GlobalFlags returns the flags of every command.
func GlobalFlags() []Flag { return new(globals).Flags() }
