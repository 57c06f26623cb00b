// Package refs holds results of programs that share no code with this project. Tests compare the project's results with them.
// README.md describes each file: what was computed, how, and in which format.
package refs

import "embed"

// Files are the results. Their names are paths such as "fit.json" and "models/01_mph1.json".
//
//go:embed *.json ips96 models
var Files embed.FS
