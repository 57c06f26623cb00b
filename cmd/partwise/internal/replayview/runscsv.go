package replayview

import (
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/validate/replay"
)

// rowsOfCSV returns the rows of CSV: one for each run, with its intervals, and below it one for each month.
func rowsOfCSV(runs []*replay.Run) *output.List {
	var rows []output.Row
	for _, run := range runs {
		rows = append(rows, rowOfCSV(run))
		rows = append(rows, groupRowsOfCSV(run)...)
		for i := range run.Months {
			m := &run.Months[i]
			row := output.Row{output.InCSV("policy", run.Policy.String()), output.InCSV("month", monthName(m)),
				output.InCSV("jobs", m.Jobs)}
			rows = append(rows, append(row, measured(m.Values, monthMeasures()...)...))
		}
	}
	return output.ListOfRows("", "", output.Wide, rows).Show()
}

// rowOfCSV returns the row of a whole run, not of a month.
func rowOfCSV(run *replay.Run) output.Row {
	response, _, _ := run.Intervals()
	ahead := ratioForecast(run)
	row := output.Row{output.InCSV("policy", run.Policy.String()), output.InCSV("month", nil), output.InCSV("jobs", run.Jobs)}
	row = append(row, measured(run.Measures, monthMeasures()...)...)
	row = append(row,
		output.InCSV("mean_response_time_low", response.Low),
		output.InCSV("mean_response_time_high", response.High),
		output.InCSV("malleable_share", run.Share),
		output.InCSV("resize_cost", costValue(run)),
		output.InCSV("ratio_to_easy", ifKnown(run.Ratio())),
		output.InCSV("ratio_to_easy_same_load_low", output.When(foretold(run), ahead.SameLoadLow)),
		output.InCSV("ratio_to_easy_same_load_high", output.When(foretold(run), ahead.SameLoadHigh)))
	if run.OnFirst != nil {
		row = append(row, output.InCSV("nodes", run.Nodes), output.InCSV("ratio_to_first_nodes", ifKnown(run.RatioToFirst())))
	}
	row = append(row, measured(run.Measures, logMeasures()...)...)
	for _, q := range nodeHours {
		row = append(row, measured(run.Measures, q.measure)...)
	}
	return row
}
