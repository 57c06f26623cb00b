//go:build !openblas || !cgo

// Package openblas is empty without the tag openblas.
package openblas
