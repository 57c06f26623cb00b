// Package initcmd is the command init, which prints commented example models. They are files that are part of the program.
package initcmd
