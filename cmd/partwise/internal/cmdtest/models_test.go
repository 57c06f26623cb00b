package cmdtest

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/explorer/answer"
	"github.com/partwise/partwise/models/modelfile"
	"github.com/partwise/partwise/testdata/needs"
	"github.com/partwise/partwise/validate/explore"
)

// everyModel returns the texts of all models that init prints, with run times of a log where they name a file, and of the model
// that study made of a synthetic log of 1,000 jobs on 64 nodes.
func everyModel(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../modelcmd/examples/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	dir, all := t.TempDir(), map[string]string{}
	copied(t, "../../../../testdata/kth-sp2/work.ph.json", filepath.Join(dir, "work.ph.json"))
	for _, name := range append(files, "testdata/studied.yaml") {
		base := filepath.Base(name)
		if base == "study.yaml" { // no model
			continue
		}
		copied(t, name, filepath.Join(dir, base))
		file, err := modelfile.Load(filepath.Join(dir, base))
		if err != nil {
			t.Fatal(err)
		}
		file.Expect, file.Require = nil, nil
		var text strings.Builder
		if err := modelfile.WriteModel(&text, file); err != nil {
			t.Fatal(err)
		}
		all[base] = text.String()
	}
	return all
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ask asks a question; the answer has an "error" or what the page shows.
func ask(t *testing.T, question map[string]any) (answered map[string]any) {
	t.Helper()
	text, err := json.Marshal(question)
	if err == nil {
		err = json.Unmarshal(answer.To(t.Context(), text), &answered)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answered
}

// TestEveryValueOfEverySlider: with every model, every value of every slider has an answer in the coarsest grade, in which the page
// answers at the latest. With -long all values are tried, else some of each slider.
func TestEveryValueOfEverySlider(t *testing.T) {
	t.Parallel()
	all := everyModel(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var controls explore.Controls
		question, err := json.Marshal(map[string]any{"kind": "controls", "model": all[name]})
		if err == nil {
			err = json.Unmarshal(answer.To(t.Context(), question), &controls)
		}
		if err != nil || len(controls.Sliders) < 5 {
			t.Fatalf("%s: %d sliders, %v", name, len(controls.Sliders), err)
		}
		for _, s := range controls.Sliders {
			if s.Off != "" {
				continue
			}
			step := 1
			if !needs.IsLong() {
				step = max(1, (len(s.Values)-1)/3)
			}
			for i := 0; i < len(s.Values); i += step {
				values := map[string]float64{s.Key: s.Values[i]}
				got := ask(t, map[string]any{"kind": "decision", "model": all[name], "values": values, "grade": 99})
				if got["error"] != nil || len(got["results"].([]any)) < 2 {
					t.Errorf("%s, %s = %v: %v", name, s.Key, s.Values[i], got["error"])
				}
			}
		}
	}
}
