// The program sbom writes the bill of materials of a built program, from what the Go linker wrote into it: the modules with
// their versions and checksums, the Go library, and the script that is embedded in pages. It is CycloneDX 1.5 in JSON
// (ECMA-424), without a time or a serial number, so that the same program has the same bytes.
//
//	go run ./cmd/partwise/internal/sbom -version v1.2.3 dist/partwise >dist/partwise.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"runtime/debug"
	"strings"
)

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "the version of the program")
	uplot := flag.String("uplot", "cmd/partwise/internal/chart/web/uplot/uPlot.iife.min.js", "the script that is embedded in pages")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("sbom needs the name of a program")
	}
	if err := write(os.Stdout, flag.Arg(0), *version, *uplot); err != nil {
		log.Fatal(err)
	}
}

func write(w io.Writer, program, version, uplot string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	script, err := embedded(uplot)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(newBill(info, version, hex.EncodeToString(sum[:]), script))
}

// Bill is a bill of materials, with the names of CycloneDX.
type Bill struct {
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     Metadata     `json:"metadata"`
	Components   []Component  `json:"components"`
	Dependencies []Dependency `json:"dependencies"`
}

// Metadata names what the bill is of.
type Metadata struct {
	Component Component `json:"component"`
}

// Component is a part of the program, or the program.
type Component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []Hash     `json:"hashes,omitempty"`
	Properties []Property `json:"properties,omitempty"`
}

// Hash is that of a file.
type Hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// Property is what CycloneDX has no name for.
type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Dependency says what something consists of.
type Dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

func newBill(info *debug.BuildInfo, version, sum string, script Component) *Bill {
	program := module(info.Main.Path, version, "")
	program.Type, program.Hashes = "application", []Hash{{"SHA-256", sum}}
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" {
			program.Properties = append(program.Properties, Property{"go:" + s.Key, s.Value})
		}
	}
	b := &Bill{Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: Metadata{program}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		b.Components = append(b.Components, module(m.Path, m.Version, m.Sum))
	}
	b.Components = append(b.Components, module("std", strings.TrimPrefix(info.GoVersion, "go"), ""), script)
	parts := Dependency{Ref: program.Ref}
	for _, c := range b.Components {
		parts.DependsOn = append(parts.DependsOn, c.Ref)
	}
	b.Dependencies = []Dependency{parts}
	return b
}

// module returns a Go module; its checksum is that of go.sum, which is none of a file.
func module(path, version, sum string) Component {
	purl := "pkg:golang/" + path
	if version != "" {
		purl += "@" + version
	}
	c := Component{Type: "library", Ref: purl, Name: path, Version: version, PURL: purl}
	if sum != "" {
		c.Properties = []Property{{"go:sum", sum}}
	}
	return c
}

var scriptVersion = regexp.MustCompile(`uPlot \(v([0-9.]+)\)`)

// embedded returns the script that is embedded in pages, with the version that it says it has.
func embedded(file string) (Component, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Component{}, err
	}
	found := scriptVersion.FindSubmatch(text)
	if found == nil {
		return Component{}, fmt.Errorf("%s does not say which version it is", file)
	}
	sum := sha256.Sum256(text)
	purl := "pkg:npm/uplot@" + string(found[1])
	return Component{Type: "library", Ref: purl, Name: "uplot", Version: string(found[1]), PURL: purl,
		Hashes: []Hash{{"SHA-256", hex.EncodeToString(sum[:])}}}, nil
}
