// Package reportcmd writes everything about a study or a model on one page: the command report.
//
// A study is solved as package sweep does, a model alone at its own load as package solvecmd does. Points, sentences,
// assumptions, warnings and the files become a document, of which an HTML page and Markdown are views.
package reportcmd
