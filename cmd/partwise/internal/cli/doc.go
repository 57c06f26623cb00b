// Package cli is a command line: a table of commands becomes a [Program], a line that is typed becomes an [Invocation]
// of one of them, and what comes of it a [Result] or an error with an exit code.
//
// Data flows one way. [Program.Execute] brings the words of the line into the order that the flag library reads,
// checks them, and calls the command with its Invocation: the arguments, the flags, and where to write. [WithOptions]
// has the flags read, once and before any work, into the fields of the command's own [Options]. The command returns
// errors, made by [Usagef] and [Failf] if the user is to be told what to do; [Conclude] prints them. A Result is
// written by [Invocation.Emit] in the format that was asked for, to a file as a whole or not at all. Help, manual
// pages, the pages of the documents and completion are views of the same table.
package cli
