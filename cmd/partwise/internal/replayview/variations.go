package replayview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/models/words"
	"github.com/partwise/partwise/models/workload"
	"github.com/partwise/partwise/validate/replay"
)

// variationWords says what differs from the assumptions of the study.
func variationWords(v *replay.Variation) string {
	switch v.Setting {
	case "":
		return "as assumed"
	case "resize_cost":
		return "a resize takes " + words.TimeWords(v.Value)
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
		return "no part of a program is serial"
	case workload.Amdahl:
		return words.Shortest(100*s.Serial) + " % of a program is serial"
	}
	return "programs speed up as " + workload.SpeedupText(s)
}

// Variations has a row for each changed assumption.
func Variations(all []replay.Variation) *output.List {
	if len(all) == 0 {
		return &output.List{Name: "variations"}
	}
	title := "With other assumptions: " + words.Tenths(all[0].Run.Share) + " of the jobs malleable"
	return output.NewList("variations", title, output.NoCSV, all, func(v *replay.Variation) output.Row {
		verdict, ratio := v.Run.Verdict(), v.Run.Ratio()
		return output.Row{output.Data("setting", v.Setting), output.Data("value", v.Value), output.InTable("if").Is(variationWords(v)),
			output.Data("ratio_to_easy", estimateObject(ratio)), changeColumn.Is(change(ratio.Mean)), intervalColumn.Is(changes(ratio)),
			output.Data("resizing_pays", string(verdict)), output.InTable("pays").Is(verdictWords[verdict])}
	})
}

// Flips says which of the other assumptions change the verdict; "" if no other assumption was tried, or if there are too few jobs
// for a verdict.
func Flips(all []replay.Variation) string {
	flips, ok := replay.Flips(all)
	if !ok {
		return ""
	}
	with := "With " + words.Tenths(all[0].Run.Share) + " of the jobs malleable, "
	if flips == nil {
		return with + fmt.Sprintf("the verdict is the same under all %d other assumptions tried.", len(all)-1)
	}
	texts := words.Texts(flips, func(f replay.Flip) string {
		return flipWords[f.Verdict] + firstOf(words.Texts(f.Variations, variationWords))
	})
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

// FlipSummary says in a line which assumptions change the verdict, one for each other verdict, or that none does. It returns ""
// if none was tried, or if there are too few jobs for a verdict.
func FlipSummary(all []replay.Variation) string {
	flips, ok := replay.Flips(all)
	switch {
	case !ok:
		return ""
	case flips == nil:
		return fmt.Sprintf("None of %d other assumptions that were tried changes that.", len(all)-1)
	}
	texts := words.Texts(flips, func(f replay.Flip) string {
		shorter := func(a, b string) int { return cmp.Compare(len(a), len(b)) }
		shortest := slices.MinFunc(words.Texts(f.Variations, variationWords), shorter)
		return flipClauses[f.Verdict] + shortest
	})
	return words.Sentence(strings.Join(texts, "; "))
}
