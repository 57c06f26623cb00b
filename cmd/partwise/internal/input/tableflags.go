package input

import (
	"fmt"
	"regexp"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/values"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload/logstats"
	"github.com/partwise/partwise/validate/advise"
)

// By binds --by of a command that adds tables. usage is the first part of the help text, which says what the tables show. The
// list of the tables follows it.
func By(to *[]logstats.By, usage, hint string) cli.Flag {
	tables := words.Strings(logstats.EachBy())
	return cli.Value(to, "by", values.ListOf(values.OneOf("unknown table", logstats.EachBy()...)), cli.About{Words: tables, Hint: hint,
		Usage: usage + words.Or(tables)})
}

// Objective binds --objective. usage is the first part of the help text, which says what the objective decides. The list of the
// objectives follows it.
func Objective(to *advise.Objective, usage string) cli.Flag {
	known := words.Strings(advise.Objectives())
	return cli.Value(to, "objective", parseObjective, cli.About{Words: known, Default: string(*to),
		Usage: usage + " " + words.Or(known), Hint: "use " + words.Or(known)})
}

// percentile matches the names of percentiles.
var percentile = regexp.MustCompile(`^(median|p[0-9.]+)$`)

// parseObjective reads an objective. The error of another percentile says which percentile is an objective.
func parseObjective(text string) (advise.Objective, error) {
	o, err := values.OneOf("unknown objective", advise.Objectives()...)(text)
	if err != nil && percentile.MatchString(text) {
		return o, fmt.Errorf("%q is a percentile; of percentiles only %s is an objective", text, advise.P95)
	}
	return o, err
}
