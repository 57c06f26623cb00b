// Package checkcmd holds the command check, which reports the mistakes in a file, and compares results with those that
// the file expects.
package checkcmd
