package modelcmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/partwise/partwise/cmd/partwise/internal/modelcmd"
)

// TestExamplesAreListed: the help of init lists each example with the first sentence of its file, and no other.
func TestExamplesAreListed(t *testing.T) {
	files, err := filepath.Glob("examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	var want []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), "#\n# ")
		paragraph, _, _ := strings.Cut(rest, "\n#\n")
		sentence, _, _ := strings.Cut(strings.ReplaceAll(paragraph, "\n# ", " ")+" ", ". ")
		want = append(want, "- "+strings.TrimSuffix(filepath.Base(file), ".yaml")+": "+sentence+".")
	}
	if help := modelcmd.Init().Details; !strings.Contains(help, "\n\n"+strings.Join(want, "\n")+"\n\n") {
		t.Errorf("%s\nis not in\n%s", strings.Join(want, "\n"), help)
	}
}
