package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhereToChangeAThing: each file of the table in docs/architecture.md exists and contains the name that the table tells to
// look for.
func TestWhereToChangeAThing(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("\\| \\[[^]]*\\]\\(([^)]*)\\) \\| `([^`]*)` \\|\n").FindAllStringSubmatch(string(text), -1)
	if len(rows) < 25 {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		file, err := os.ReadFile(filepath.Join("../../docs", row[1]))
		if err != nil {
			t.Error(err)
			continue
		}
		if !strings.Contains(string(file), row[2]) {
			t.Errorf("%s does not contain %s", row[1], row[2])
		}
	}
}
