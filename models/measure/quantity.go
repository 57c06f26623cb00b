// Package quantity reads numbers, times and ranges as people write them, in files and on the command line alike.
//
// A number is decimal or a percentage: 0.7 or 70%. A time is a number of a unit that is known otherwise, or carries its own:
// 60s, 1m, 1h30m. A range A:B or A:B:STEP includes its end, and lists of both are separated by commas, such as
// 0.1:0.5:0.1,0.7.
//
// Errors carry no package name: callers put the place of the text, a flag or a field of a file, in front of them.

package measure
