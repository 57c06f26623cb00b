//go:build ignore

// Compiles the solver of the explorer and compresses it, with the script of the toolchain that runs it, into a folder:
// go run generate.go [FOLDER]. The same source and the same Go make the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	to := "solver"
	if len(os.Args) > 1 {
		to = os.Args[1]
	}
	check(os.MkdirAll(to, 0o755))
	program := filepath.Join(to, "solver.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "./wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	check(build.Run())
	data, err := os.ReadFile(program)
	check(errors.Join(err, os.Remove(program)))
	var small bytes.Buffer
	z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	check(err)
	_, err = z.Write(data)
	check(errors.Join(err, z.Close(), os.WriteFile(program+".gz", small.Bytes(), 0o644)))
	root, err := exec.Command("go", "env", "GOROOT").Output()
	check(err)
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	check(errors.Join(err, os.WriteFile(filepath.Join(to, "wasm_exec.js"), script, 0o644)))
}

// check ends the program at an error.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
