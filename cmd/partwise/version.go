package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

func versionCommand() command {
	return command{
		name:    "version",
		group:   aiding,
		summary: "print the version",
		details: "Prints the version of the program, of Go, and of the machine it was built for.",
		run: func(inv *invocation) error {
			return inv.write(func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "partwise %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
				return err
			})
		},
	}
}

// version is that of the module, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}
