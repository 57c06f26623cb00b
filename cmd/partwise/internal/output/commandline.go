package output

import "strings"

// beforeCommand is before a command that stands in a line of its own.
const beforeCommand = "    "

// CommandLine returns a command as a line below a sentence. Such a line is never broken, so that it can be pasted.
func CommandLine(command string) string { return beforeCommand + command }

// isCommand reports whether a line is one of [CommandLine].
func isCommand(line string) bool { return strings.HasPrefix(line, beforeCommand) }
