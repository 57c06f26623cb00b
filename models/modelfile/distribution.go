// Package distribution reads phase-type distributions and arrival processes from files: as part of a model, where
// {erlang: {mean: 30s, phases: 2}} or {fit: {file: times.csv}} stands for one, and from files of their own, which it
// also writes.

package modelfile
