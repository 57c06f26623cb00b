// Package logtext reads the texts that measurements and job logs come in: files, times and durations, paths in JSON.
package logtext
