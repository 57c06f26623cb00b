// Package pages makes the pages that explain a program: help on a terminal, Markdown for the documents, and manual pages.
//
// A page is about a [Program], a [Command] or a [Topic], which are commands of urfave/cli with what the library does not know of
// them. The page has one template; a view, of a terminal or of Markdown, writes what the template says.
package pages
