package replaycmd

import (
	"fmt"
	"strings"

	"github.com/partwise/partwise/cmd/partwise/internal/cli"
	"github.com/partwise/partwise/cmd/partwise/internal/output"
	"github.com/partwise/partwise/models"
	"github.com/partwise/partwise/validate/replay"
)

// variationReplays is about how many times the variations replay a log.
const variationReplays = 17

// AddVariations replays the log with other assumptions.
func (f *Forecast) AddVariations(inv *cli.Invocation) (err error) {
	if f.impossible != "" {
		return nil
	}
	defer f.counted(inv, variationReplays)()
	f.variations, err = f.study.Variations(inv.Context, inv.Workers, f.decisive().Share)
	return err
}

// variationWords says what differs from the assumptions of the study.
func variationWords(v *replay.Variation) string {
	switch v.Setting {
	case "":
		return "as assumed"
	case "resize_cost":
		return "a resize takes " + TimeWords(v.Value)
	case "stops":
		return "a resize stops " + map[models.Stops]string{models.AllStop: "all jobs", models.ResizedStop: "the resized jobs"}[v.Run.Stops]
	case "factors":
		return "jobs get " + v.Value + " times their request"
	case "speedup":
		return SpeedupWords(v.Run.Speedup)
	}
	return "jobs offer a load of " + v.Value
}

// pays says whether resizing pays in a run.
func pays(run *replay.Run) replay.Verdict {
	verdict, _ := replay.ResizingPays([]*replay.Run{run})
	return verdict
}

// verdictWords are the verdicts in tables.
var verdictWords = map[replay.Verdict]string{replay.Pays: "yes", replay.PaysNot: "no", replay.NotClear: "not clear"}

// Variations has a row for each changed assumption.
func (f *Forecast) Variations() *output.List {
	all := f.variations
	if len(all) == 0 {
		return &output.List{Name: "variations"}
	}
	type row struct {
		Setting  string        `key:"setting"`
		Value    string        `key:"value"`
		If       string        `head:"if"`
		Ratio    output.Object `key:"ratio_to_easy"`
		Change   string        `head:"time against EASY" form:"number"`
		Interval string        `head:"90 % interval" form:"number none=–"`
		Pays     string        `key:"resizing_pays"`
		Words    string        `head:"pays"`
	}
	var rows []row
	for i := range all {
		v, verdict, ratio := &all[i], pays(all[i].Run), all[i].Run.Ratio()
		rows = append(rows, row{v.Setting, v.Value, variationWords(v), estimateObject(ratio), change(ratio.Mean), changes(ratio),
			string(verdict), verdictWords[verdict]})
	}
	return output.ListOf("variations", "With other assumptions: "+output.Tenths(all[0].Run.Share)+" of the jobs malleable", output.NoCSV, rows, "")
}

// Flips say which of the other assumptions change the verdict; "" if none was tried, or if there are too few jobs for a verdict.
func (f *Forecast) Flips() string {
	if len(f.variations) < 2 || !output.Finite(f.variations[0].Run.Ratio().HalfWidth) {
		return "" // too few jobs for a verdict, under any assumptions
	}
	usual := pays(f.variations[0].Run)
	by := map[replay.Verdict][]string{}
	for i := range f.variations {
		v := &f.variations[i]
		if verdict := pays(v.Run); verdict != usual {
			by[verdict] = append(by[verdict], variationWords(v))
		}
	}
	with := "With " + output.Tenths(f.variations[0].Run.Share) + " of the jobs malleable, "
	var texts []string
	for _, verdict := range []replay.Verdict{replay.Pays, replay.NotClear, replay.PaysNot} {
		if by[verdict] != nil {
			texts = append(texts, map[replay.Verdict]string{replay.Pays: "resizing pays if ", replay.NotClear: "it is not clear whether resizing pays if ",
				replay.PaysNot: "resizing does not pay if "}[verdict]+strings.Join(by[verdict], ", or "))
		}
	}
	if texts == nil {
		return with + fmt.Sprintf("the verdict is the same under all %d other assumptions tried.", len(f.variations)-1)
	}
	return with + strings.Join(texts, "; ") + "."
}
