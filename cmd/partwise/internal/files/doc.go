// Package files keeps a command from overwriting what it reads, and reads files that may never come to their end.
//
// A command tells a [Set] each file that it reads or writes, before any work. The Set returns an error if the command
// would overwrite a file that it reads, or write one file twice. [Open] opens a file whose reading ends when the command is
// interrupted. Package output writes files.
package files
