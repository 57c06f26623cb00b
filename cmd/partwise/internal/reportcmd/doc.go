// Package reportcmd writes everything about a study or a model on one page: the command report.
//
// The points of a study are those of package points. A model alone is solved at its own load, too. Points, sentences,
// assumptions, warnings and files become a document, which is written as HTML or as Markdown.
package reportcmd
