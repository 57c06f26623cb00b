// Package output writes results: JSON whose fields stand in the order they were added, CSV, and tables for people.
//
// JSON and CSV carry every float64 with the fewest digits that read back as the same number; only tables round. Files
// are written whole or not at all.
package output
