//go:build ignore

// Compiles the solver of the explorer and compresses it, with the script of the toolchain that runs it, into a folder:
// go run generate.go [FOLDER]. The same source and the same Go make the same bytes.
package main

import (
	"bytes"
	"compress/gzip"
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
	if err := generate(to); err != nil {
		log.Fatal(err)
	}
}

func generate(to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	program := filepath.Join(to, "solver.wasm")
	defer os.Remove(program)
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", program, "./wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	var small bytes.Buffer
	z, err := gzip.NewWriterLevel(&small, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, "solver.wasm.gz"), small.Bytes(), 0o644); err != nil {
		return err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "wasm_exec.js"), script, 0o644)
}
