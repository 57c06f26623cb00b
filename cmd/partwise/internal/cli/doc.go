// Package cli makes an App of urfave/cli of a table of commands, and runs one command line with it.
//
// A [Program] is the table. For each call [Program.Execute] makes a new App: the flags of a [Command] are bound to fields of new
// [Options], so that the library reads texts into values. flagsFirst puts the words of the command line into the order that the
// library reads. Before the action of a command, the context of the library becomes an [Invocation]: arguments, format, files,
// memory, and where to write. The action checks the options and calls the command with both.
//
//	words ─► flagsFirst ─► urfave.App ─► Options, Invocation ─► Command.Run ─► result | error (package fault)
//
// Help, manuals, documents and completion are views of the same App; package pages writes them.
package cli
