// The program sbom writes the bill of materials of a built program, from what the Go linker wrote into it: the modules with
// their versions and checksums, the Go library, and the script that is embedded in pages. It is CycloneDX 1.5 in JSON
// (ECMA-424), without a time or a serial number, so that the same program has the same bytes.
//
//	go run ./.ci/sbom -version v1.2.3 dist/partwise >dist/partwise.cdx.json
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
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

// object has the names of CycloneDX.
type object = map[string]any

var scriptVersion = regexp.MustCompile(`uPlot \(v([0-9.]+)\)`)

func write(w io.Writer, program, version, uplot string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	script, err := os.ReadFile(uplot)
	if err != nil {
		return err
	}
	found := scriptVersion.FindSubmatch(script)
	if found == nil {
		return fmt.Errorf("%s does not say which version it is", uplot)
	}
	parts := append(modules(info), withHash(component("npm", "uplot", string(found[1])), script))
	main := withHash(component("golang", info.Main.Path, version), binary)
	main["type"], main["properties"] = "application", platform(info)
	var refs []any
	for _, c := range parts {
		refs = append(refs, c["bom-ref"])
	}
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.SetEscapeHTML(false)
	return out.Encode(object{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": object{"component": main},
		"components": parts, "dependencies": []object{{"ref": main["bom-ref"], "dependsOn": refs}}})
}

// component returns a part of the program, which is known by its package URL.
func component(kind, name, version string) object {
	url := "pkg:" + kind + "/" + name + "@" + version
	return object{"type": "library", "name": name, "version": version, "purl": url, "bom-ref": url}
}

func withHash(c object, file []byte) object {
	c["hashes"] = []object{{"alg": "SHA-256", "content": fmt.Sprintf("%x", sha256.Sum256(file))}}
	return c
}

// modules returns the Go modules and the Go library. The checksum of a module is that of go.sum, not that of a file.
func modules(info *debug.BuildInfo) (all []object) {
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component("golang", m.Path, m.Version)
		c["properties"] = []object{{"name": "go:sum", "value": m.Sum}}
		all = append(all, c)
	}
	return append(all, component("golang", "std", strings.TrimPrefix(info.GoVersion, "go")))
}

// platform returns the operating system and the processor of the program.
func platform(info *debug.BuildInfo) (all []object) {
	for _, s := range info.Settings {
		if s.Key == "GOOS" || s.Key == "GOARCH" {
			all = append(all, object{"name": "go:" + s.Key, "value": s.Value})
		}
	}
	return all
}
