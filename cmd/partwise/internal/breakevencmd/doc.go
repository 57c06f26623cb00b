// Package breakevencmd is the command breakeven, which looks for the values of a parameter at which the better policy changes.
package breakevencmd
