package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestBillOfMaterials: the bill of a program lists everything that NOTICES.md does, and names nothing twice.
func TestBillOfMaterials(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "../../.ci/sbom", "-version", "v1.2.3",
		"-uplot", "internal/chart/web/uplot/uPlot.iife.min.js", self)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BOMFormat, SpecVersion string
		Metadata               struct {
			Component struct {
				Name, Version string
				Hashes        []struct{ Alg, Content string }
			}
		}
		Components []struct{ Type, Name, Version, PURL string }
	}
	if err := json.Unmarshal(out, &bill); err != nil {
		t.Fatal(err)
	}
	of := bill.Metadata.Component
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.5" || of.Name+"/" != module || of.Version != "v1.2.3" ||
		len(of.Hashes) != 1 || len(of.Hashes[0].Content) != 64 {
		t.Errorf("the head of the bill is %+v", bill.Metadata)
	}
	var listed []string
	for _, c := range bill.Components {
		if c.Type != "library" || c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:") || !strings.HasSuffix(c.PURL, "@"+c.Version) {
			t.Errorf("a component is %+v", c)
		}
		if slices.Contains(listed, c.Name) {
			t.Errorf("%s is listed twice", c.Name)
		}
		listed = append(listed, c.Name)
	}
	for _, name := range append(modulesOf(t), "std", "uplot") {
		if path, _, _ := strings.Cut(name, " "); !slices.Contains(listed, path) {
			t.Errorf("the bill lacks %s", path)
		}
	}
}
