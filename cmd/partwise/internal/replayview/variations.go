package replayview

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/replay"
)

// variationWords says what differs from the assumptions of the study.
func variationWords(v *replay.Variation) string {
	switch v.Setting {
	case "":
		return "as assumed"
	case "resize_cost":
		return "a resize takes " + output.TimeWords(v.Value)
	case "stops":
		if v.Run.Stops == models.AllStop {
			return "a resize stops all jobs"
		}
		return "a resize stops the resized jobs"
	case "factors":
		return "jobs get " + v.Value + " times their request"
	case "speedup":
		return SpeedupWords(v.Run.Speedup)
	}
	return "jobs offer a load of " + v.Value
}

// SpeedupWords says what a speedup means for a program.
func SpeedupWords(s workload.Speedup) string {
	switch s := s.(type) {
	case nil, workload.Linear:
		return "programs speed up with every node"
	case workload.Amdahl:
		return output.Shortest(100*s.Serial) + " % of a program is serial"
	}
	return "programs speed up as " + workload.SpeedupText(s)
}

// pays says whether resizing pays in a run.
func pays(run *replay.Run) replay.Verdict {
	verdict, _ := replay.ResizingPays([]*replay.Run{run})
	return verdict
}

// Variations has a row for each changed assumption.
func Variations(all []replay.Variation) *output.List {
	if len(all) == 0 {
		return &output.List{Name: "variations"}
	}
	title := "With other assumptions: " + output.Tenths(all[0].Run.Share) + " of the jobs malleable"
	return output.NewList("variations", title, output.NoCSV, all, func(v *replay.Variation) output.Row {
		verdict, ratio := pays(v.Run), v.Run.Ratio()
		return output.Row{output.Data("setting", v.Setting), output.Data("value", v.Value), output.InTable("if").Is(variationWords(v)),
			output.Data("ratio_to_easy", estimateObject(ratio)), changeColumn.Is(change(ratio.Mean)), intervalColumn.Is(changes(ratio)),
			output.Data("resizing_pays", string(verdict)), output.InTable("pays").Is(verdictWords[verdict])}
	})
}

// Flips say which of the other assumptions change the verdict; "" if none was tried, or if there are too few jobs for a verdict.
func Flips(all []replay.Variation) string {
	if len(all) < 2 || !output.Finite(all[0].Run.Ratio().HalfWidth) {
		return "" // too few jobs for a verdict, under any assumptions
	}
	usual := pays(all[0].Run)
	by := map[replay.Verdict][]string{}
	for i := range all {
		if verdict := pays(all[i].Run); verdict != usual {
			by[verdict] = append(by[verdict], variationWords(&all[i]))
		}
	}
	with := "With " + output.Tenths(all[0].Run.Share) + " of the jobs malleable, "
	var texts []string
	for _, verdict := range []replay.Verdict{replay.Pays, replay.NotClear, replay.PaysNot} {
		if by[verdict] != nil {
			texts = append(texts, flipWords[verdict]+firstOf(by[verdict]))
		}
	}
	if texts == nil {
		return with + fmt.Sprintf("the verdict is the same under all %d other assumptions tried.", len(all)-1)
	}
	return with + strings.Join(texts, "; ") + "."
}

// mostFlips is how many assumptions a sentence names.
const mostFlips = 2

// firstOf names the first of some assumptions, and says how many more there are.
func firstOf(assumptions []string) string {
	if n := len(assumptions) - mostFlips; n > 0 {
		return strings.Join(assumptions[:mostFlips], ", or ") + fmt.Sprintf(", or under %d other assumptions", n)
	}
	return strings.Join(assumptions, ", or ")
}

// FlipSummary says in a line which assumptions change the verdict, one for each other verdict, or that none does. It returns "" if none was
// tried, or if there are too few jobs for a verdict.
func FlipSummary(all []replay.Variation) string {
	if len(all) < 2 || !output.Finite(all[0].Run.Ratio().HalfWidth) {
		return ""
	}
	usual, shortest := pays(all[0].Run), map[replay.Verdict]string{}
	for i := range all {
		verdict, text := pays(all[i].Run), variationWords(&all[i])
		if old := shortest[verdict]; verdict != usual && (old == "" || len(text) < len(old)) {
			shortest[verdict] = text
		}
	}
	var texts []string
	for _, verdict := range []replay.Verdict{replay.Pays, replay.NotClear, replay.PaysNot} {
		if text := shortest[verdict]; text != "" {
			texts = append(texts, flipClauses[verdict]+text)
		}
	}
	if texts == nil {
		return fmt.Sprintf("None of %d other assumptions that were tried changes that.", len(all)-1)
	}
	return output.Sentence(strings.Join(texts, "; "))
}
