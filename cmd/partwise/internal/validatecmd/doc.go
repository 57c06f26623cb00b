// Package validatecmd is the command validate: it compares a solved model with simulations of the machine, and with the
// jobs of a log.
package validatecmd
