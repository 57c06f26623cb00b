package input

import (
	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/advise"
)

// By binds --by of a command that adds tables. usage is the first part of the help text, which says what the tables show. The list of the
// tables follows it.
func By(to *[]logstats.By, usage, hint string) cli.Flag {
	tables := words.Strings(logstats.EachBy())
	return cli.Value(to, "by", values.ListOf(values.OneOf("unknown table", logstats.EachBy()...)), cli.About{Words: tables, Hint: hint,
		Usage: usage + words.Or(tables)})
}

// Objective binds --objective. usage is the first part of the help text, which says what the objective decides. The list of the objectives
// follows it.
func Objective(to *advise.Objective, usage string) cli.Flag {
	return cli.Choice(to, "objective", "unknown objective", advise.Objectives(), cli.About{Usage: usage,
		Hint: "use " + words.Or(words.Strings(advise.Objectives()))})
}
